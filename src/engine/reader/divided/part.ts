/** What this server says of the parts of indexes that it holds, to the server that was asked by a client. */
import { parseJson } from "../../../base/contract/json-body.ts";
import { ApiError, badRequest } from "../../../base/errors/errors.ts";
import { ByteSink } from "../../../base/json/bytes.ts";
import { isObject } from "../../../base/json/value.ts";
import { namedRows, ShownDocuments } from "../../answer/documents.ts";
import { HitWriter } from "../../answer/hits.ts";
import { knownAmong } from "../../answer/known-fields.ts";
import { selectPage } from "../../answer/page.ts";
import { sortElements, sortedPage } from "../../answer/sorted-page.ts";
import { encodeFramed } from "../../link/framed.ts";
import { OTHER_STATE } from "../../link/part-asks.ts";
import { isDivided, viewOfShards } from "../../parts/divide.ts";
import { wordsInPart } from "../../parts/part.ts";
import type { PartAnswerHead, PartCall, PartQuestion, PartQuestions } from "../../parts/questions.ts";
import type { RankDetail } from "../../rank/result.ts";
import { nearestTo, vectorsOfDocument } from "../../semantic/similar.ts";
import { columnValues } from "../column-values.ts";
import { refuseAbandoned } from "../search.ts";
import { filteredRows, selectedRows } from "../select.ts";
import type { Reply, RequestContext } from "../task.ts";
import { partFacetSearch, partFacets } from "./part-facets.ts";
import { distinctIn, type Part, ranked, rowOf, rowsOf, valuesIn } from "./part-sets.ts";

type Answered<Q extends PartQuestion> = { answer: PartQuestions[Q]["answer"]; pieces?: Uint8Array[] };
type Answers = { readonly [Q in PartQuestion]: (asked: PartQuestions[Q]["asked"], part: Part) => Answered<Q> };

export function answerPart(call: PartCall, payload: Uint8Array, context: RequestContext): Reply {
  const whole = context.snapshot().index(call.indexUid);
  const isKnown = whole !== null && whole.id === call.id && call.shards.every((shard) => shard < whole.shards);
  if (!isKnown || whole.settingsVersion !== call.settingsVersion) {
    const problem = `The index \`${call.indexUid}\` is not here in the state that was asked for.`;
    throw new ApiError("internal", problem, OTHER_STATE);
  }
  const isHere = whole.problem === null || isDivided(whole);
  if (!isHere || whole.shardsElsewhere.some((shard) => call.shards.includes(shard))) {
    throw new ApiError("internal", `The index \`${call.indexUid}\` is not here, or not all that is asked for.`, 503);
  }
  const view = viewOfShards(whole, call.shards);
  const deadline = call.leftMs === null ? Number.POSITIVE_INFINITY : performance.now() + call.leftMs;
  const part: Part = { view, snapshot: context.snapshot(), deadline, goOn: () => refuseAbandoned({ context }) };
  const { asked, question } = questionIn(payload);
  const answered = ANSWERS[question](asked as never, part);
  const { answer, pieces = [] } = answered;
  const { contentVersion, version } = whole;
  const head: PartAnswerHead<unknown> = { version, contentVersion, answer, pieces: pieces.map(({ length }) => length) };
  return { status: 200, contentType: "application/octet-stream", body: encodeFramed(head, pieces) };
}

function questionIn(payload: Uint8Array): { question: PartQuestion; asked: object } {
  const sent = parseJson(payload);
  const { asked, question } = isObject(sent) ? sent : {};
  if (typeof question !== "string" || !Object.hasOwn(ANSWERS, question) || !isObject(asked)) {
    throw badRequest("What is asked of a part is no question.");
  }
  return { question: question as PartQuestion, asked };
}

const NOTHING = new Uint8Array(0);

const ANSWERS: Answers = {
  fields: (_asked, { view }) => {
    const readers = view.segments.map(({ reader }) => reader);
    const words = [...new Set(readers.flatMap(({ fields }) => [...fields]))];
    const columns = [...new Set(readers.flatMap((reader) => [...reader.columns.fields()]))];
    return { answer: { words, columns } };
  },
  words: ({ searched, ...asked }, { view }) => ({ answer: wordsInPart(view, searched, asked) }),
  rank: ({ facets, values, ...told }, part) => {
    const { candidates, report } = ranked(part, told);
    const count = candidates.reduce((sum, rows) => sum + rows.count(), 0);
    const counted = facets === null ? null : partFacets(part.view, candidates, facets);
    const all = values === null ? null : valuesIn(part.view, candidates, values);
    return { answer: { ...report, count, facets: counted, all } };
  },
  count: ({ facets, set }, part) => {
    const rows = rowsOf(part, set);
    const count = rows.reduce((sum, each) => sum + each.count(), 0);
    return { answer: { count, facets: facets === null ? null : partFacets(part.view, rows, facets) } };
  },
  pins: ({ distinct, filter, ids }, { goOn, snapshot, view }) => {
    const passing = selectedRows(view, filter, snapshot, "invalid_search_filter");
    const values = distinct === null ? null : distinctIn(view, distinct);
    const answer = ids.map((id) => {
      goOn();
      for (const [segment, { reader }] of view.segments.entries()) {
        const row = reader.findRow(id);
        if (row === -1 || !passing[segment]!.has(row)) continue;
        return { docid: reader.docids[row]!, values: values?.valuesOf(segment, row) ?? [] };
      }
      return null;
    });
    return { answer };
  },
  hits: ({ hits, known, matched, query }, { goOn, view }) => {
    const writer = new HitWriter(view, query, matched === null ? null : () => matched, null, knownAmong(known ?? []));
    const pieces = hits.map(({ details, docid, members }) => {
      goOn();
      const found = rowOf(view, docid);
      if (found === null) return NOTHING;
      const out = new ByteSink(1024);
      writer.write({ ...found, docid, details: details as RankDetail[] }, out, members);
      return out.view();
    });
    return { answer: null, pieces };
  },
  values: ({ docids, fields }, { goOn, view }) => {
    const answer = docids.map((docid) => {
      goOn();
      const found = rowOf(view, docid);
      return found === null ? {} : columnValues(view.segments[found.segment]!.reader.columns, found.row, fields);
    });
    return { answer };
  },
  facetSearch: ({ query, set }, part) => ({ answer: partFacetSearch(part.view, rowsOf(part, set), query) }),
  order: ({ end, filter, ids, sort }, { snapshot, view }) => {
    const kept = filter === null ? null : filteredRows(view, filter, snapshot, "invalid_document_filter", false);
    const named = ids === null ? null : namedRows(view, ids);
    const sources = view.segments.map(({ live, reader }, i) => {
      const selected = (named?.[i] ?? live).copy();
      if (kept !== null) selected.andWith(kept[i]!);
      return { docids: reader.docids, selected, count: selected.count() };
    });
    const total = sources.reduce((sum, { count }) => sum + count, 0);
    const isSorted = sort !== null && sort.length > 0;
    const page = isSorted
      ? sortedPage(
          view,
          sort,
          sources.map(({ selected }) => selected),
          0,
          end,
        )
      : selectPage(sources, 0, end);
    const docids = Array.from(page.rows, (row, i) => sources[page.segments[i]!]!.docids[row]!);
    return { answer: { total, docids, places: isSorted ? sortElements(view, sort, page) : null } };
  },
  documents: ({ docids, known, places, ...params }, { goOn, view }) => {
    const shown = new ShownDocuments(view, params, knownAmong(known ?? []));
    const pieces = docids.map((docid, i) => {
      goOn();
      const found = rowOf(view, docid);
      if (found === null) return NOTHING;
      const page = { segments: Uint32Array.of(found.segment), rows: Uint32Array.of(found.row) };
      const out = new ByteSink(1024);
      if (places === null) shown.writePage(view.segments, page, out);
      else shown.writeShare(view.segments, page, [places[i]!], out);
      return out.view();
    });
    return { answer: null, pieces };
  },
  document: ({ id, known, ...params }, { view }) => {
    for (const segment of view.segments) {
      const row = segment.reader.findRow(id);
      if (row === -1 || !segment.live.has(row)) continue;
      const out = new ByteSink(1024);
      new ShownDocuments(view, params, knownAmong(known ?? [])).writeRun(segment, row, row + 1, out);
      return { answer: null, pieces: [out.view()] };
    }
    return { answer: null };
  },
  target: ({ embedder, id, visible }, { snapshot, view }) => {
    const rows = selectedRows(view, visible, snapshot, "invalid_similar_filter");
    for (const [segment, { live, reader }] of view.segments.entries()) {
      const row = reader.findRow(id);
      if (row === -1 || !live.has(row)) continue;
      if (!rows[segment]!.has(row)) break;
      const vectors = vectorsOfDocument(view, { segment, row }, embedder).map((vector) => Array.from(vector));
      return { answer: { docid: reader.docids[row]!, vectors } };
    }
    return { answer: null };
  },
  similar: ({ embedder, filter, most, vectors, without }, { goOn, snapshot, view }) => {
    const universe = selectedRows(view, filter, snapshot, "invalid_similar_filter").map((rows) => rows.copy());
    const own = rowOf(view, without);
    if (own !== null) universe[own.segment]!.clear(own.row);
    const neighbours = vectors.flatMap((vector, target) => {
      goOn();
      return nearestTo(view, vector, universe, embedder, most).map(({ distance, docid, value }) => {
        return { docid, distance, target, value: Array.from(value) };
      });
    });
    const count = universe.reduce((sum, rows) => sum + rows.count(), 0);
    return { answer: { neighbours, count } };
  },
};

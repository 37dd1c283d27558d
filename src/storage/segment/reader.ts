/**
 * Opens a segment: hot parts over bytes that are already in memory (ordinary or shared), document bodies over the file.
 * Everything is a view; nothing is copied and nothing changes. Parts are opened when first asked for.
 */
import type { GrowingIds } from "../../base/document/id-list.ts";
import { MIB } from "../../base/limits.ts";
import { Workspace } from "../memory/workspace.ts";
import { ColumnsReader } from "./columns/reader.ts";
import { readCommonPrefixes, type StoredPrefix } from "./common-prefixes/reader.ts";
import { type PartEntry, readSegmentHeader, SegmentDamage, type SegmentHeader } from "./container.ts";
import { DocumentsReader } from "./documents/reader.ts";
import { FieldLengthsReader } from "./field-lengths/reader.ts";
import { FieldSetsReader } from "./field-sets/reader.ts";
import { FieldsReader } from "./fields/reader.ts";
import { ForwardReader } from "./forward/reader.ts";
import { GeoReader } from "./geo/points.ts";
import { GeoJsonReader } from "./geojson/shapes.ts";
import { IdProbe } from "./ids/probe.ts";
import { IdsReader } from "./ids/reader.ts";
import { PART, partName } from "./parts.ts";
import { PostingsReader } from "./postings/reader.ts";
import { TermsReader } from "./terms/reader.ts";
import { BlobsReader } from "./vectors/blobs.ts";
import { OriginsReader } from "./vectors/origins.ts";
import { VectorsReader } from "./vectors/reader.ts";

/** Room for kernels beside a segment that is in no arena. */
const PRIVATE_ROOM_BYTES = 64 * MIB;

/** Where kernels reach a segment: addresses of its parts count from `at`. */
export interface SegmentHome {
  workspace: Workspace;
  at: number;
}

export class SegmentReader {
  readonly rows: number;
  readonly header: SegmentHeader;
  readonly #hot: Uint8Array;
  readonly #workspace: Workspace | null;
  #ownHome: SegmentHome | null = null;
  readonly documents: DocumentsReader;
  readonly #ids: IdsReader;
  #openFields: FieldsReader | null = null;
  #openFieldLengths: FieldLengthsReader | null = null;
  #openTerms: TermsReader | null = null;
  #openPostings: PostingsReader | null = null;
  #openForward: ForwardReader | null = null;
  #openCommonPrefixes: readonly StoredPrefix[] | null = null;
  #openColumns: ColumnsReader | null = null;
  #openFieldSets: FieldSetsReader | null = null;
  #openGeo: GeoReader | null = null;
  #openGeojson: GeoJsonReader | null = null;
  #openVectors: VectorsReader | null = null;
  #openGraphs: BlobsReader | null = null;
  #openSketches: BlobsReader | null = null;
  #openOrigins: OriginsReader | null = null;

  /**
   * `hot`: the first `hotBytes` of the segment file, at an address that is a multiple of 64. `workspace`: this thread's
   * part of the memory they are in, null for bytes that are elsewhere or will not be searched.
   */
  constructor(hot: Uint8Array, path: string, workspace: Workspace | null = null) {
    this.#hot = hot;
    this.#workspace = workspace;
    this.header = readSegmentHeader(hot);
    this.rows = this.header.rows;
    this.#ids = new IdsReader(this.#part(PART.ids));
    this.documents = new DocumentsReader(
      this.#part(PART.documentIndex),
      path,
      this.#entry(PART.documents),
      () => this.fieldSets,
    );
  }

  /** Made when first asked for: a segment that is in no arena is copied to where kernels can read it. */
  get home(): SegmentHome {
    if (this.#ownHome === null) {
      const hot = this.#hot;
      const workspace = this.#workspace;
      this.#ownHome =
        workspace === null ? Workspace.around(hot, PRIVATE_ROOM_BYTES) : { workspace, at: hot.byteOffset };
    }
    return this.#ownHome;
  }

  /** Whether kernels reach the segment where it is. */
  get isInPlace(): boolean {
    return this.#workspace !== null;
  }

  /** Where a view of the hot parts begins, for kernels. */
  addressOf(view: Uint8Array | Uint16Array | Uint32Array | Float32Array): number {
    return this.home.at + view.byteOffset - this.#hot.byteOffset;
  }

  /** Internal ids, ascending; one per row. */
  get docids(): Uint32Array {
    return this.#ids.docids;
  }

  /** External ids as numbers; null when some are not canonical integers below 2^32. */
  get idNumbers(): Uint32Array | null {
    return this.#ids.numbers;
  }

  /** The row of an external id, -1 when the segment does not have it. */
  findRow(externalId: string): number {
    return this.#ids.findRow(IdProbe.of(externalId));
  }

  /** The same for an id that many segments are asked for. */
  findProbed(id: IdProbe): number {
    return this.#ids.findRow(id);
  }

  /** Whether its external ids are known to be numbers below this one. */
  areIdsBelow(number: number): boolean {
    return this.#ids.areBelow(number);
  }

  /** The row of an internal id, -1 when the segment does not have it. */
  findDocid(docid: number): number {
    return this.#ids.findDocid(docid);
  }

  externalId(row: number): string {
    return this.#ids.externalId(row);
  }

  /** Adds the external id of a row to a list. */
  pushId(row: number, list: GrowingIds): void {
    this.#ids.push(row, list);
  }

  /** The stored JSON of a row. */
  readDocument(row: number): Uint8Array<ArrayBuffer> {
    return this.documents.read(row);
  }

  /** The same where it is good only until the next document is lent, in this or any other segment. */
  lendDocument(row: number): Uint8Array {
    return this.documents.lend(row);
  }

  /** Reads the JSON of rows `[from, to)`, side by side, to `into` at `at`; returns its length. */
  readDocuments(from: number, to: number, into: Uint8Array, at: number): number {
    return this.documents.readRows(from, to, into, at);
  }

  /** How long a row's JSON is. */
  documentLength(row: number): number {
    return this.documents.length(row);
  }

  /** Where a row's body lies in the segment file, as it is stored there. */
  fileRange(row: number): { start: number; end: number } {
    const { bodiesAt, offsets } = this.documents;
    return { start: bodiesAt + offsets[row]!, end: bodiesAt + offsets[row + 1]! };
  }

  /** Local field id to flattened name, for fields that have words. */
  get fields(): readonly string[] {
    return this.fieldTable.names;
  }

  get fieldTable(): FieldsReader {
    this.#openFields ??= new FieldsReader(this.#part(PART.fields));
    return this.#openFields;
  }

  get fieldLengths(): FieldLengthsReader {
    this.#openFieldLengths ??= new FieldLengthsReader(this.#part(PART.fieldLengths), this.rows);
    return this.#openFieldLengths;
  }

  get terms(): TermsReader {
    this.#openTerms ??= new TermsReader(this.#part(PART.terms), this.fieldTable);
    return this.#openTerms;
  }

  get postings(): PostingsReader {
    this.#openPostings ??= new PostingsReader(
      this.#part(PART.postings),
      this.#part(PART.positions),
      this.terms,
      this.fieldTable,
    );
    return this.#openPostings;
  }

  /** Words of rows in their order; null in segments that were written before there was such a part, or have too many terms. */
  get forward(): ForwardReader | null {
    if (this.#openForward === null && this.#has(PART.forward)) {
      this.#openForward = new ForwardReader(this.#part(PART.forward));
    }
    return this.#openForward;
  }

  /** Prefixes whose rows are told; none in segments that were written before there was such a part. */
  get commonPrefixes(): readonly StoredPrefix[] {
    this.#openCommonPrefixes ??= this.#has(PART.commonPrefixes)
      ? readCommonPrefixes(this.#part(PART.commonPrefixes), this.rows)
      : [];
    return this.#openCommonPrefixes;
  }

  get columns(): ColumnsReader {
    this.#openColumns ??= new ColumnsReader(this.#part(PART.columns), this);
    return this.#openColumns;
  }

  /** Points of `_geo`; null when no row has one. */
  get geo(): GeoReader | null {
    if (this.#openGeo === null && this.#has(PART.geo)) this.#openGeo = new GeoReader(this.#part(PART.geo));
    return this.#openGeo;
  }

  /** Shapes of `_geojson`; null when no row has one. */
  get geojson(): GeoJsonReader | null {
    if (this.#openGeojson === null && this.#has(PART.geojson)) {
      this.#openGeojson = new GeoJsonReader(this.#part(PART.geojson));
    }
    return this.#openGeojson;
  }

  /** Vectors by embedder; null when the index had no embedders. */
  get vectors(): VectorsReader | null {
    if (this.#openVectors === null && this.#has(PART.vectors)) {
      this.#openVectors = new VectorsReader(this.#part(PART.vectors));
    }
    return this.#openVectors;
  }

  /** Graphs of near vectors; null until some have been built. */
  get graphs(): BlobsReader | null {
    if (this.#openGraphs === null && this.#has(PART.graphs))
      this.#openGraphs = new BlobsReader(this.#part(PART.graphs));
    return this.#openGraphs;
  }

  /** Sketches of vectors; null where there are few. */
  get sketches(): BlobsReader | null {
    if (this.#openSketches === null && this.#has(PART.bitCodes)) {
      this.#openSketches = new BlobsReader(this.#part(PART.bitCodes));
    }
    return this.#openSketches;
  }

  /** What vectors were made from; null when all of them came with their documents. */
  get origins(): OriginsReader | null {
    if (this.#openOrigins === null && this.#has(PART.origins)) {
      this.#openOrigins = new OriginsReader(this.#part(PART.origins));
    }
    return this.#openOrigins;
  }

  /** Which top-level fields each row has. */
  get fieldSets(): FieldSetsReader {
    this.#openFieldSets ??= new FieldSetsReader(this.#part(PART.fieldSets));
    return this.#openFieldSets;
  }

  /** Gives the file back; memory is not this reader's to free. */
  close(): void {
    this.documents.close();
  }

  #part(kind: number): Uint8Array {
    const { offset, length } = this.#entry(kind);
    return this.#hot.subarray(offset, offset + length);
  }

  #has(kind: number): boolean {
    return this.header.parts.some((part) => part.kind === kind);
  }

  #entry(kind: number): PartEntry {
    const entry = this.header.parts.find((part) => part.kind === kind);
    if (entry === undefined) throw new SegmentDamage(`segment has no part ${partName(kind)}`);
    return entry;
  }
}

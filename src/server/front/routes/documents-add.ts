/**
 * Adding documents: the body is checked and made ready off this thread (a reader for small ones, a helper and a file
 * for large ones), then the task is made durable with it. Only of a single small document or two is the syntax checked here.
 */
import { parseDocumentsWrite } from "../../../base/contract/documents.ts";
import type { PayloadRef, TaskContent } from "../../../base/contract/task.ts";
import {
  delimiterWithoutCsv,
  invalidContentType,
  missingContentType,
  missingPayload,
} from "../../../base/errors/errors.ts";
import { KIB, limits } from "../../../base/limits.ts";
import { decodePayload, type PayloadFormat, packPayload, preparePayload } from "../../../base/payload/prepare.ts";
import { type Answer, bytesAnswer } from "../answer.ts";
import { withFile } from "../large-payloads.ts";
import { contentEssence } from "../request.ts";
import type { Request, Services } from "../services.ts";
import { enqueue, indexUidOf } from "./common.ts";

const FORMATS: Record<string, PayloadFormat> = {
  "application/json": "json",
  "application/x-ndjson": "ndjson",
  "text/csv": "csv",
};
const ACCEPTED = Object.keys(FORMATS);
const COMMA = 0x2c;
/** The way to a reader and back takes longer than to check the syntax of so much: ten microseconds or two. */
const CHECKED_HERE_BYTES_MAX = KIB;

/** A payload ready for its task; or the reader's refusal, to be sent as it is. */
type Prepared = { payload: PayloadRef; inline: Uint8Array | null; documentsCount: number } | { refusal: Answer };

export async function addDocuments(
  services: Services,
  request: Request,
  method: "replace" | "update",
): Promise<Answer> {
  const uid = indexUidOf(request);
  const { primaryKey, csvDelimiter, customMetadata, skipCreation } = parseDocumentsWrite(request.query);
  const format = formatOf(request.head.contentType);
  if (csvDelimiter !== null && format !== "csv") throw delimiterWithoutCsv(request.head.contentType ?? "");
  if (request.body.length === 0) throw missingPayload(format);
  const allowIndexCreation = request.grant.mayCreateIndex(uid);
  const preparing = prepare(services, request, format, csvDelimiter ?? COMMA);
  const prepared = preparing instanceof Promise ? await preparing : preparing;
  if ("refusal" in prepared) return prepared.refusal;
  const { payload, inline, documentsCount } = prepared;
  const content: TaskContent = {
    type: "documentAdditionOrUpdate",
    method,
    primaryKey,
    payload,
    documentsCount,
    allowIndexCreation,
    skipCreation,
  };
  return withFile(services, payload, () =>
    enqueue(services, request, content, uid, { customMetadata, payload: inline }),
  );
}

function formatOf(contentType: string | null): PayloadFormat {
  const essence = contentEssence(contentType);
  if (essence === null) throw missingContentType(ACCEPTED);
  const format = Object.hasOwn(FORMATS, essence) ? FORMATS[essence] : undefined;
  if (format === undefined) throw invalidContentType(contentType ?? "", ACCEPTED);
  return format;
}

function prepare(
  services: Services,
  request: Request,
  format: PayloadFormat,
  delimiter: number,
): Prepared | Promise<Prepared> {
  if (request.body.length > CHECKED_HERE_BYTES_MAX || format === "csv") {
    return prepareElsewhere(services, request, format, delimiter);
  }
  const ready = preparePayload(request.body, format);
  return keptInline(packPayload(ready), ready.ranges);
}

async function prepareElsewhere(
  services: Services,
  request: Request,
  format: PayloadFormat,
  delimiter: number,
): Promise<Prepared> {
  if (request.body.length > limits.inlinePayloadBytes) {
    const file = await services.largePayloads.prepare(request.body, format, delimiter);
    return { ...file, inline: null };
  }
  const answer = await services.readers.request("payload.prepare", { format, delimiter }, request.body, request);
  if (answer.status !== 200) return { refusal: bytesAnswer(answer.status, answer.contentType, answer.body) };
  return keptInline(answer.body, decodePayload(answer.body).ranges);
}

/** The log names an inline payload after its task. */
function keptInline(inline: Uint8Array, ranges: Uint32Array): Prepared {
  return { payload: { kind: "inline", name: "", bytes: inline.length }, inline, documentsCount: ranges.length / 2 };
}

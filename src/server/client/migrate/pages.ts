/** Documents of a running server, a page at a time, as the bytes that they are: one page is fetched while another is sent. */
import { indexPath } from "../api.ts";
import { type Connection, ServerError } from "../connection.ts";
import { cutterFor } from "../import/cutters.ts";

interface DocumentPage {
  /** The body of a request. */
  body: Uint8Array[];
  documents: number;
  /** In the whole index; null where the server does not say. */
  total: number | null;
}

interface Fetching {
  /** Documents of a page; null for as many as make a request of a good size. */
  size: number | null;
  persistently<T>(action: () => Promise<T>): Promise<T>;
  note(text: string): void;
}

const FIRST_PAGE = 200;
const PAGE_MAX = 100_000;
const PAGE_BYTES = 8_000_000;

export async function* documentPages(
  from: Connection,
  uid: string,
  begin: number,
  { size, persistently, note }: Fetching,
): AsyncGenerator<DocumentPage> {
  let vectors = "&retrieveVectors=true";
  const fetched = async (offset: number, limit: number): Promise<DocumentPage> => {
    const path = () => indexPath(uid, `/documents?limit=${limit}&offset=${offset}${vectors}`);
    try {
      return pageOf(await persistently(() => from.bytes("GET", path())));
    } catch (error) {
      // Servers of old do not know the parameter, or want a feature switched on for it.
      if (!(error instanceof ServerError) || error.status !== 400 || vectors === "") throw error;
      note(`${uid}: vectors were left behind: ${error.message}`);
      vectors = "";
      return pageOf(await persistently(() => from.bytes("GET", path())));
    }
  };
  let limit = size ?? FIRST_PAGE;
  let offset = begin;
  for (let next = fetched(offset, limit); ; ) {
    const page = await next;
    if (page.documents === 0) return;
    offset += page.documents;
    const bytes = page.body.reduce((sum, { length }) => sum + length, 0);
    limit = size ?? Math.max(1, Math.min(PAGE_MAX, Math.floor((page.documents * PAGE_BYTES) / bytes)));
    const isLast = page.total !== null && offset >= page.total;
    if (!isLast) {
      next = fetched(offset, limit);
      next.catch(() => {});
    }
    yield page;
    if (isLast) return;
  }
}

/** The list of documents in an answer, as it stands there: numbers too large to be read exactly stay what they are. */
function pageOf(answer: Buffer): DocumentPage {
  const begin = answer.indexOf('"results":') + '"results":'.length;
  const cutter = cutterFor("json");
  const end = begin + cutter.advance(answer.subarray(begin));
  const total = /"total":\s*(\d+)/.exec(answer.subarray(end).toString("latin1"))?.[1];
  const body = cutter.body([answer.subarray(begin, end)]);
  return { body, documents: cutter.documents, total: total === undefined ? null : Number(total) };
}

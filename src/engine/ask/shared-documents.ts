/** A list of documents of all servers of the network: what each of them is asked, and what is needed to make one list of theirs. */
import type { DocumentsQuery } from "../../base/contract/documents.ts";
import type { Asker } from "./asker.ts";
import { checkDocuments } from "./documents.ts";
import { serversIn } from "./remotes.ts";
import { refuseForeignElsewhere } from "./search.ts";
import type { Shared } from "./shares.ts";

type AskedDocuments = Omit<DocumentsQuery, "useNetwork"> & { indexUid: string };

/** Null when this server is not part of the network. */
export interface OwnDocuments {
  documents: AskedDocuments | null;
}

export interface DocumentsPlan {
  shape: "documents";
  offset: number;
  limit: number;
  self: string | null;
}

export type SharedDocuments = Shared<OwnDocuments, DocumentsPlan>;

/** Every server is asked from its first document on, because none knows how many of its own come before the page. */
export function documentsOfServers(asker: Asker, indexUid: string, query: DocumentsQuery): SharedDocuments {
  checkDocuments(asker, indexUid, query);
  asker.withIndex(indexUid, () => refuseForeignElsewhere(asker.scope, query.filter));
  const { useNetwork: _useNetwork, offset, limit, ...rest } = query;
  const asked = { ...rest, offset: 0, limit: limit === 0 ? 0 : Math.min(offset + limit, Number.MAX_SAFE_INTEGER) };
  const said = Object.entries(asked).filter(([, value]) => value !== null);
  const body = JSON.stringify(Object.fromEntries(said));
  const servers = serversIn(asker.network);
  return {
    indexUid,
    path: `/indexes/${indexUid}/documents/fetch`,
    asks: servers.flatMap((remote) => (remote === null ? [] : [{ remote, body }])),
    own: { documents: servers.includes(null) ? { ...asked, indexUid } : null },
    plan: { shape: "documents", offset, limit, self: asker.network.self },
  };
}

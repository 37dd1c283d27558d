/**
 * SQLite with FTS5 in memory, ordered by its BM25, with prefix indexes of one to three letters. It knows no typos. The package
 * better-sqlite3 where it is installed, otherwise the SQLite of Node itself where that has FTS5.
 */
import { optionalPackage } from "../lib/packages.ts";
import { type Collection, type Contender, facetValues, HITS, type Query } from "./contender.ts";

interface Statement {
  run(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}

interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
}

type DatabaseClass = new (file: string) => Database;

const HAS_VALUE = "EXISTS (SELECT 1 FROM facets WHERE facets.value = ? AND facets.id = texts.rowid)";

export async function sqlite({ documents, searchable, facet }: Collection): Promise<Contender<unknown[]> | null> {
  const columns = searchable.map((_, i) => `text${i}`);
  const database = await open(`CREATE VIRTUAL TABLE texts USING fts5(${columns.join(", ")}, prefix='1 2 3')`);
  if (database === null) return null;
  database.exec("CREATE TABLE documents (id INTEGER PRIMARY KEY, body TEXT)");
  database.exec("CREATE TABLE facets (value TEXT, id INTEGER, PRIMARY KEY (value, id)) WITHOUT ROWID");
  database.exec("CREATE INDEX facets_of ON facets (id)");
  const page = (condition: string) =>
    database.prepare(
      `SELECT body FROM documents JOIN (
         SELECT rowid AS hit, rank FROM texts WHERE texts MATCH ? AND ${condition} ORDER BY rank LIMIT ${HITS}
       ) ON id = hit ORDER BY rank`,
    );
  const anyPage = page("true");
  const filteredPage = page(HAS_VALUE);
  const counts = database.prepare(
    `SELECT value, count(*) FROM facets
     WHERE id IN (SELECT rowid FROM texts WHERE texts MATCH ? AND ${HAS_VALUE}) GROUP BY value`,
  );
  return {
    name: "SQLite FTS5",
    classes: ["common word", "one letter", "prefix", "two words", "phrase", "filter + facet"],
    build() {
      const places = columns.map(() => "?").join(", ");
      const insertText = database.prepare(`INSERT INTO texts (rowid, ${columns.join(", ")}) VALUES (?, ${places})`);
      const insertDocument = database.prepare("INSERT INTO documents VALUES (?, ?)");
      const insertFacet = database.prepare("INSERT OR IGNORE INTO facets VALUES (?, ?)");
      database.exec("BEGIN");
      for (const [i, document] of documents.entries()) {
        insertDocument.run(i, JSON.stringify(document));
        insertText.run(i, ...searchable.map((field) => `${document[field] ?? ""}`));
        for (const value of facetValues(document, facet)) insertFacet.run(value, i);
      }
      database.exec("COMMIT");
    },
    search({ text, value }: Query) {
      const match = matchExpression(text);
      if (value === null) return anyPage.all(match);
      counts.all(match, value);
      return filteredPage.all(match, value);
    },
    hits: (answer) => answer.length,
  };
}

/** Null where there is no SQLite, or one without FTS5, which is what makes `firstTable` fail. */
async function open(firstTable: string): Promise<Database | null> {
  const better = await optionalPackage<{ default: DatabaseClass }>("better-sqlite3");
  const own = await optionalPackage<{ DatabaseSync: DatabaseClass }>("node:sqlite");
  for (const Class of [better?.default, own?.DatabaseSync]) {
    if (Class === undefined) continue;
    try {
      const database = new Class(":memory:");
      database.exec(firstTable);
      return database;
    } catch {
      // Not built for this Node, or without FTS5: the next one may do.
    }
  }
  return null;
}

/** Phrases as they are, every other word quoted, the last one as a prefix. */
function matchExpression(text: string): string {
  const parts = text.match(/"[^"]*"|[\p{L}\p{N}]+/gu) ?? [];
  return parts
    .map((part, i) => {
      if (part.startsWith('"')) return part;
      return i === parts.length - 1 ? `"${part}"*` : `"${part}"`;
    })
    .join(" AND ");
}

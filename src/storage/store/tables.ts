/** The tables of the store by name, and how each orders its keys. Their positions are part of what threads tell each other. */
export const TABLES = [
  ["tasks", "uint32"],
  ["pending", "uint32"],
  ["batches", "uint32"],
  ["payloads", "ordered-binary"],
  ["keys", "ordered-binary"],
  ["manifests", "uint32"],
  ["catalog", "ordered-binary"],
  ["features", "ordered-binary"],
  ["webhooks", "ordered-binary"],
  ["network", "ordered-binary"],
  ["rules", "ordered-binary"],
  ["chats", "ordered-binary"],
  ["meta", "ordered-binary"],
  ["texts", "ordered-binary"],
] as const;

/** One more, of what the store notes for itself: no record of the journal changes it. */
export const FENCE = "fence";

export type TableName = (typeof TABLES)[number][0];

export function tablePosition(name: TableName): number {
  return TABLES.findIndex(([own]) => own === name);
}

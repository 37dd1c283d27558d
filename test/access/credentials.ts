/** Every kind of credential that a request may come with, and what each may do by the words of the interface. */
import { createHmac } from "node:crypto";
import { ACTIONS } from "../../src/base/contract/actions.ts";
import { nowMicros } from "../../src/base/time/time.ts";
import type { KeyRing } from "../../src/engine/auth/keys.ts";
import type { Row } from "./rows.ts";

export const MASTER = "a-master-key-of-sixteen-bytes";
/** The index that narrow credentials are for, and one that they are not for, whose name they must never read. */
export const OWN = "own";
export const OTHER = "zz-other-zz";

export interface Credential {
  name: string;
  headers: Record<string, string>;
  /** `null` for no such thing as a key: told apart from a key that may not. */
  may: ((row: Row, index: string | null) => boolean) | null;
  /** Sees one index only. */
  isNarrow: boolean;
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const never = (): boolean => false;

/** What a list of actions grants, by the contract's own words. */
function grants(actions: readonly string[], wanted: string): boolean {
  return actions.some((action) => {
    if (action === wanted || action === "*") return true;
    if (action === "*.get") return READS.has(wanted);
    return action.endsWith(".*") && wanted.startsWith(action.slice(0, -1));
  });
}

const READS = new Set(
  `search documents.get export indexes.get tasks.get settings.get stats.get metrics.get version experimental.get network.get
   chats.get chatsSettings.get webhooks.get fields.post dynamicSearchRules.get`.split(/\s+/),
);

function allows(actions: readonly string[], indexes: readonly string[]): NonNullable<Credential["may"]> {
  const matches = (index: string) =>
    indexes.some((each) => each === index || (each.endsWith("*") && index.startsWith(each.slice(0, -1))));
  return ({ reach, actions: wanted }, index) => {
    if (reach === "master") return actions.includes("*") && indexes.includes("*");
    if (indexes.length === 0 || !wanted.every((action) => grants(actions, action))) return false;
    if (reach === "index") return matches(index!);
    return reach === "narrowed" || indexes.includes("*");
  };
}

export function tenantToken(key: { uid: string; value: string }, claims: object, algorithm = "HS256"): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: algorithm, typ: "JWT" })}.${part({ apiKeyUid: key.uid, ...claims })}`;
  const signature = algorithm === "none" ? "" : createHmac("sha256", key.value).update(text).digest("base64url");
  return `${text}.${signature}`;
}

/** Kinds that are the same for every route. */
export async function commonCredentials(ring: KeyRing): Promise<Credential[]> {
  const made: Credential[] = [];
  const add = (name: string, headers: Record<string, string>, may: Credential["may"], isNarrow = false) =>
    made.push({ name, headers, may, isNarrow });
  const key = async (actions: string[], indexes: string[], expiresAt: number | null = null) => {
    const record = await ring.create({ uid: null, name: null, description: null, actions, indexes, expiresAt });
    return { uid: record.uid, value: ring.valueOf(record) };
  };

  add("nothing", {}, null);
  add("an empty header", { authorization: "" }, null);
  add("another scheme", { authorization: `Basic ${Buffer.from(`x:${MASTER}`).toString("base64")}` }, null);
  add("the master key without a scheme", { authorization: MASTER }, null);
  add("the scheme in small letters", { authorization: `bearer ${MASTER}` }, null);
  add("no token", { authorization: "Bearer " }, never);
  add("two spaces", { authorization: `Bearer  ${MASTER}` }, never);
  add("an unknown key", bearer("0".repeat(64)), never);
  add("most of the master key", bearer(MASTER.slice(0, -1)), never);
  add("more than the master key", bearer(`${MASTER} `.trimEnd().concat("x")), never);
  add("the master key", bearer(MASTER), () => true);
  add("the master key in the other header", { "x-service-api-key": MASTER }, () => true);
  add("a wrong key beside the master key", { ...bearer("wrong"), "x-service-api-key": MASTER }, never);

  for (const record of ring.list()) add(record.name!, bearer(ring.valueOf(record)), allows(record.actions, ["*"]));
  for (const action of ["*", "*.get", "documents.*", "indexes.*", "tasks.*", "settings.*", "chats.*", "webhooks.*"]) {
    add(`${action} on one index`, bearer((await key([action], [OWN])).value), allows([action], [OWN]), true);
  }
  const everything = await key(["*"], ["*"]);
  add("the uid of a key", bearer(everything.uid), never);
  add("a key in capitals", bearer(everything.value.toUpperCase()), never);
  const soonOver = await key(["*"], ["*"], nowMicros() + 3_600_000_000);
  add("a key of everything with an end", bearer(soonOver.value), (row, index) => {
    return row.reach !== "master" && allows(["*"], ["*"])(row, index);
  });
  add("an expired key", bearer((await key(["*"], ["*"], nowMicros() - 1)).value), never);
  add("a key of no index", bearer((await key(["*"], [])).value), never);
  add("a key of no action", bearer((await key([], ["*"])).value), never);
  const removed = await key(["*"], ["*"]);
  await ring.remove(removed.uid);
  add("a removed key", bearer(removed.value), never);

  const rules = { searchRules: ["*"] };
  const tenant = allows(["search", "chatCompletions"], ["*"]);
  add("a tenant", bearer(tenantToken(everything, rules)), tenant);
  const narrow = allows(["search", "chatCompletions"], [OWN]);
  add("a tenant of one index", bearer(tenantToken(everything, { searchRules: { [OWN]: null } })), narrow, true);
  add("a tenant of a key of one index", bearer(tenantToken(await key(["*"], [OWN]), rules)), narrow, true);
  add("a tenant of a removed key", bearer(tenantToken(removed, rules)), never);
  add("a tenant of no rules", bearer(tenantToken(everything, { searchRules: {} })), (row, index) => {
    return row.reach === "narrowed" && tenant(row, index);
  });
  add("an expired tenant", bearer(tenantToken(everything, { ...rules, exp: 1 })), never);
  add("a tenant who signs for himself", bearer(tenantToken({ ...everything, value: "x" }, rules)), never);
  add("a tenant who does not sign", bearer(tenantToken(everything, rules, "none")), never);
  add("a tenant of the master key", bearer(tenantToken({ uid: everything.uid, value: MASTER }, rules)), never);
  return made;
}

/** Kinds that are about the actions of one row: just those, everything but those, and on other indexes. */
export async function credentialsFor(ring: KeyRing, { actions, reach }: Row): Promise<Credential[]> {
  const wanted = reach === "master" ? ["keys.get", "keys.create", "keys.update", "keys.delete"] : [...actions];
  const others = ACTIONS.filter((action) => !action.includes("*") && !wanted.includes(action));
  const kinds: [string, string[], string[]][] = [
    ["just the actions", wanted, ["*"]],
    ["just the actions, on one index", wanted, [OWN]],
    ["just the actions, on indexes of a prefix", wanted, [`${OWN.slice(0, 2)}*`]],
    ["just the actions, on another index", wanted, [OTHER]],
    ["every other action", others, ["*"]],
    ...wanted
      .slice(1)
      .map((_action, i): [string, string[], string[]] => [
        "one action too few",
        wanted.filter((_, at) => at !== i),
        ["*"],
      ]),
  ];
  const made: Credential[] = [];
  for (const [name, held, indexes] of kinds) {
    const record = await ring.create({
      uid: null,
      name: null,
      description: null,
      actions: held,
      indexes,
      expiresAt: null,
    });
    const isNarrow = !indexes.includes("*") && !indexes.includes(OTHER);
    made.push({ name, headers: bearer(ring.valueOf(record)), may: allows(held, indexes), isNarrow });
  }
  return made;
}

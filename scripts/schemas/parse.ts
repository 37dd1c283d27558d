// Reads a schema. What our schemas do not use (namespaces, enums, unions, default values, …) is refused, so that nothing is
// silently taken for something else.
import { type Definition, type Field, SCALARS, type Schema, type Single } from "./schema.ts";

/** A comment that documents, a comment that does not, a name, a number, a text, or a mark. */
const TOKEN =
  /\s*(?:\/\/\/(?<doc>.*)|(?<comment>\/\/.*)|(?<name>[A-Za-z_]\w*)|(?<number>\d+)|"(?<text>[^"]*)"|(?<mark>\S))/y;

const NAME = "name";
const TYPES_WITHOUT_SUPPORT = new Set(["long", "ulong", "int64", "uint64"]);

interface Token {
  kind: "doc" | "name" | "number" | "text" | "mark" | "end";
  value: string;
  line: number;
}

export function parseSchema(text: string): Schema {
  return new Parser(tokensOf(text)).schema();
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const found = TOKEN.exec(text)!;
    const line = text.slice(0, TOKEN.lastIndex).split("\n").length;
    const [kind, value] = Object.entries(found.groups!).find(([, group]) => group !== undefined) as [string, string];
    if (kind !== "comment") tokens.push({ kind: kind as Token["kind"], value, line });
  }
  tokens.push({ kind: "end", value: "the end", line: text.split("\n").length });
  return tokens;
}

class Parser {
  readonly #tokens: Token[];
  readonly #attributes = new Set(["force_align"]);
  #at = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  schema(): Schema {
    const definitions: Definition[] = [];
    let root: string | null = null;
    let identifier: string | null = null;
    for (let doc = this.#doc(); this.#tokens[this.#at]!.kind !== "end"; doc = this.#doc()) {
      const keyword = this.#take(NAME);
      if (keyword === "table" || keyword === "struct") {
        definitions.push(this.#definition(keyword, doc));
        continue;
      }
      // Schemas that are included are read by themselves: names mean the same in all of them.
      if (keyword === "include") this.#take("text");
      else if (keyword === "attribute") this.#attributes.add(this.#take("text"));
      else if (keyword === "root_type") root = this.#take(NAME);
      else if (keyword === "file_identifier") identifier = this.#take("text");
      else this.#refuse(`\`${keyword}\` is not supported`);
      this.#mark(";");
    }
    if (identifier === null) return { definitions, root: null };
    if (root === null || identifier.length !== 4)
      this.#refuse("an identifier has four letters and belongs to a root type");
    return { definitions, root: { name: root!, identifier } };
  }

  #definition(kind: "table" | "struct", doc: string[]): Definition {
    const name = this.#take(NAME);
    const attributes = this.#attributeList();
    this.#mark("{");
    const fields: Field[] = [];
    for (let fieldDoc = this.#doc(); !this.#isMark("}"); fieldDoc = this.#doc())
      fields.push(this.#field(kind, fieldDoc));
    if (kind === "struct" && fields.length === 0) this.#refuse("a struct has fields");
    return { kind, name, fields, isPacked: attributes.has("packed"), doc };
  }

  #field(kind: "table" | "struct", doc: string[]): Field {
    const name = this.#take(NAME);
    this.#mark(":");
    const isVector = this.#isMark("[");
    const type = this.#single();
    if (isVector) this.#mark("]");
    if (kind === "struct" && (isVector || type.kind !== "scalar"))
      this.#refuse("structs of other than scalars are not supported");
    const forceAlign = this.#attributeList().get("force_align") ?? null;
    if (forceAlign !== null && !isVector) this.#refuse("only vectors are aligned");
    this.#mark(";");
    return { name, type, isVector, forceAlign, doc };
  }

  #single(): Single {
    const name = this.#take(NAME);
    if (name === "string") return { kind: "string" };
    if (TYPES_WITHOUT_SUPPORT.has(name)) this.#refuse(`\`${name}\` is not supported`);
    const scalar = SCALARS[name];
    return scalar === undefined ? { kind: "named", name } : { kind: "scalar", scalar };
  }

  /** `(one, other: 64)`, or nothing. */
  #attributeList(): Map<string, number> {
    const attributes = new Map<string, number>();
    if (!this.#isMark("(")) return attributes;
    do {
      const name = this.#take(NAME);
      if (!this.#attributes.has(name)) this.#refuse(`\`${name}\` is no known attribute`);
      attributes.set(name, this.#isMark(":") ? Number(this.#take("number")) : 1);
    } while (this.#isMark(","));
    this.#mark(")");
    return attributes;
  }

  #doc(): string[] {
    const lines: string[] = [];
    while (this.#tokens[this.#at]!.kind === "doc") lines.push(this.#tokens[this.#at++]!.value.trim());
    return lines;
  }

  #take(kind: Token["kind"]): string {
    const token = this.#tokens[this.#at]!;
    if (token.kind !== kind) this.#refuse(`expected a ${kind}, not \`${token.value}\``);
    this.#at++;
    return token.value;
  }

  #mark(mark: string): void {
    if (!this.#isMark(mark)) this.#refuse(`expected \`${mark}\`, not \`${this.#tokens[this.#at]!.value}\``);
  }

  /** Passes over it if it is there. */
  #isMark(mark: string): boolean {
    const { kind, value } = this.#tokens[this.#at]!;
    if (kind !== "mark" || value !== mark) return false;
    this.#at++;
    return true;
  }

  #refuse(problem: string): never {
    throw new Error(`line ${this.#tokens[Math.max(0, this.#at - 1)]!.line}: ${problem}`);
  }
}

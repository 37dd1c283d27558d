/** Requests made from the server's own OpenAPI document: values of its schemas, mostly of the right kind, some of any. */
import type { Json, JsonObject } from "../../src/base/json/value.ts";

import { broken, filterText, oddText, scriptText, templateText, words } from "./languages.ts";
import type { Dice } from "./random.ts";

interface Schema {
  $ref?: string;
  type?: string;
  enum?: Json[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
}

interface Operation {
  parameters: { name: string; in: string; schema: Schema; required: boolean }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export interface Made {
  method: string;
  path: string;
  type: string | null;
  body: Buffer | null;
  /** Whether the answer may be one without an end. */
  isStream: boolean;
}

/** Answers without an end, work for other servers, and what would wait for them. */
const LEFT_OUT = /^\/(?:logs|export|dumps|snapshots)|completions$|compact$/;
/** Now and then only: they undo what the others need. */
const RARE = /^(?:DELETE .*|POST \/(?:swap-indexes|tasks\/cancel)|PATCH \/experimental-features|.* \/keys.*)$/;
const WRITES = /\/(?:documents|settings)/;
const UIDS = ["films", "people", "other", "nowhere", "bad uid", "é"];

export class Requests {
  readonly #document: Document;
  readonly #operations: { method: string; path: string; operation: Operation }[];
  readonly #dice: Dice;

  constructor(document: unknown, dice: Dice) {
    this.#document = document as Document;
    this.#dice = dice;
    this.#operations = Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      LEFT_OUT.test(path)
        ? []
        : Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
  }

  next(): Made {
    const dice = this.#dice;
    for (;;) {
      const { method, path, operation } = dice.of(this.#operations);
      const isWrite = method !== "GET" && WRITES.test(path);
      if (RARE.test(`${method} ${path}`) ? !dice.chance(0.05) : isWrite && !dice.chance(0.4)) continue;
      const query = this.#query(operation);
      const target = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(this.#pathValue(name)));
      const { type, body } = this.#body(path, operation);
      const isStream = Object.values(operation.responses).some(
        ({ content }) => content?.["text/event-stream"] !== undefined,
      );
      return { method, path: query === "" ? target : `${target}?${query}`, type, body, isStream };
    }
  }

  #pathValue(name: string): string {
    const dice = this.#dice;
    if (dice.chance(0.03)) return oddText(dice).replace(/[\ud800-\udfff]/g, "") || "x";
    return name.includes("index") ? dice.of(UIDS) : String(dice.of(["1", "2", "99", "sea", "0"]));
  }

  #query({ parameters }: Operation): string {
    const dice = this.#dice;
    const given = parameters.filter((each) => each.in === "query" && (each.required || dice.chance(0.15)));
    const pairs = given.map(({ name, schema }) => {
      const value = name === "filter" ? filterText(dice) : this.#value(schema, name, 0);
      return [name, typeof value === "string" ? value : JSON.stringify(value)] as [string, string];
    });
    if (dice.chance(0.02)) pairs.push([oddText(dice), oddText(dice)]);
    return new URLSearchParams(pairs).toString();
  }

  #body(path: string, { requestBody }: Operation): { type: string | null; body: Buffer | null } {
    const dice = this.#dice;
    if (requestBody === undefined) return { type: null, body: null };
    const type = dice.of(Object.keys(requestBody.content));
    if (path.endsWith("/documents") && type !== "application/json") return { type, body: this.#lines(type) };
    const schema = requestBody.content[type]!.schema;
    const value = path.endsWith("/documents") ? this.#documents() : this.#value(schema, "", 0);
    let text = JSON.stringify(dice.chance(0.15) ? this.#mutated(value) : value);
    if (dice.chance(0.05)) text = broken(dice, text);
    // Long enough for another thread to read it.
    if (dice.chance(0.1)) text += " ".repeat(70_000);
    const bytes = Buffer.from(text);
    if (dice.chance(0.02) && bytes.length > 0) bytes[dice.below(bytes.length)] = dice.below(256);
    return {
      type: dice.chance(0.01) ? dice.of(["text/plain", "application/xml", "application/json;"]) : type,
      body: bytes,
    };
  }

  #documents(): Json {
    return this.#dice.times(5, () => this.#madeUpDocument());
  }

  #madeUpDocument(): JsonObject {
    const dice = this.#dice;
    const document: JsonObject = { id: dice.chance(0.9) ? dice.below(300) : this.#any(0), title: words(dice) };
    if (dice.chance(0.5)) document["year"] = dice.below(3000);
    if (dice.chance(0.3)) document["tags"] = dice.times(3, () => words(dice));
    if (dice.chance(0.2)) document["nested"] = { a: this.#any(0) };
    if (dice.chance(0.2)) document["_geo"] = { lat: dice.below(90), lng: dice.of(["3", 7, 700]) };
    if (dice.chance(0.2)) document["_vectors"] = { mine: dice.of([[1, 2, 3], [1], null, { embeddings: [[1, 2, 3]] }]) };
    if (dice.chance(0.1)) document[oddText(dice)] = this.#any(0);
    return document;
  }

  #lines(type: string): Buffer {
    const dice = this.#dice;
    const documents = dice.times(5, () => this.#madeUpDocument());
    const csv = ["id,title:string,year:number", ...documents.map(({ id, title, year }) => `${id},"${title}",${year}`)];
    const text = type === "text/csv" ? csv.join("\n") : documents.map((each) => JSON.stringify(each)).join("\n");
    return Buffer.from(dice.chance(0.2) ? broken(dice, text) : text);
  }

  #value(schema: Schema, name: string, depth: number): Json {
    const dice = this.#dice;
    if (dice.chance(0.01)) return this.#any(depth);
    if (schema.$ref !== undefined) return this.#value(this.#named(schema.$ref), name, depth);
    if (schema.anyOf !== undefined) return this.#value(dice.of(schema.anyOf), name, depth);
    if (schema.enum !== undefined) return dice.of(schema.enum);
    switch (schema.type) {
      case "string":
        return this.#text(name);
      case "boolean":
        return dice.chance(0.5);
      case "integer":
        return dice.chance(0.9)
          ? dice.below(30)
          : dice.of([0, schema.minimum ?? -1, schema.maximum ?? 2 ** 40, 2 ** 64]);
      case "number":
        return dice.of([0, 0.5, 1, -1, 1e300, 1e-300]);
      case "array":
        return dice.times(depth > 2 ? 1 : 4, () => this.#value(schema.items ?? {}, name, depth + 1));
      case "object":
        return this.#object(schema, depth);
      case "null":
        return null;
      default:
        return this.#any(depth);
    }
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema, depth: number): JsonObject {
    const dice = this.#dice;
    const share = depth > 2 ? 0.1 : 0.25;
    const made: JsonObject = {};
    for (const [name, schema] of Object.entries(properties)) {
      if (required.includes(name) || dice.chance(share)) made[name] = this.#value(schema, name, depth + 1);
    }
    if (typeof additionalProperties === "object" && depth < 4) {
      for (const key of dice.times(2, () => dice.of(["title", "year", "mine", "films", "sea"]))) {
        made[key] = this.#value(additionalProperties, key, depth + 1);
      }
    }
    return made;
  }

  #text(name: string): string {
    const dice = this.#dice;
    if (dice.chance(0.05)) return oddText(dice);
    if (/filter/i.test(name)) return filterText(dice);
    if (/template|inline/i.test(name)) return templateText(dice);
    if (/function/i.test(name)) return scriptText(dice);
    if (/uid/i.test(name)) return dice.of(UIDS);
    if (/sort/i.test(name)) return `${dice.of(["title", "year", "_geoPoint(1,2)"])}:${dice.of(["asc", "desc", "up"])}`;
    if (/embedder/i.test(name)) return dice.of(["mine", "other"]);
    // Nobody is there: nothing leaves the machine.
    if (/url/i.test(name)) return "http://127.0.0.1:1/";
    if (/attribute|facet|field|distinct/i.test(name))
      return dice.of(["*", "title", "year", "tags", "nested.a", "id", "no"]);
    return dice.chance(0.7) ? words(dice) : dice.of(["1", "sea", "2020-01-01T00:00:00Z", "-1", "true"]);
  }

  /** Any value at all. */
  #any(depth: number): Json {
    const dice = this.#dice;
    const small: Json[] = [null, true, 0, -1, 1.5, 1e308, "", "x", [], {}, oddText(dice), filterText(dice)];
    if (depth > 3 || dice.chance(0.7)) return dice.of(small);
    if (dice.chance(0.5)) return dice.times(3, () => this.#any(depth + 1));
    return Object.fromEntries(dice.times(3, () => [dice.of(["a", "b", "__proto__", "id"]), this.#any(depth + 1)]));
  }

  /** One value somewhere inside replaced by any. */
  #mutated(value: Json): Json {
    const dice = this.#dice;
    if (value === null || typeof value !== "object" || dice.chance(0.3)) return this.#any(0);
    if (Array.isArray(value)) {
      const at = dice.below(value.length + 1);
      return value.map((item, i) => (i === at ? this.#mutated(item) : item));
    }
    const keys = Object.keys(value);
    const chosen = keys[dice.below(keys.length)];
    if (chosen === undefined) return { [oddText(dice)]: this.#any(0) };
    return { ...value, [chosen]: this.#mutated(value[chosen]!) };
  }

  #named(reference: string): Schema {
    return this.#document.components.schemas[reference.slice("#/components/schemas/".length)]!;
  }
}

/**
 * Reads `_vectors[.embedder[.trait]] [NOT] EXISTS`. No blank may stand inside the dotted path; once a dot follows
 * `_vectors`, nothing but a vector condition is accepted.
 */
import { type Filter, FilterSyntaxError, quoteExtract, type Token, type VectorTrait } from "./filter.ts";
import type { Scanner } from "./scanner.ts";

const TRAITS = ["userProvided", "documentTemplate", "regenerate"] as const;

/** Null when the text does not go on with a vector condition. */
export function parseVectors(scanner: Scanner): Filter | null {
  const start = scanner.at;
  scanner.skipBlanks();
  const nameAt = scanner.at;
  if (!scanner.tag("_vectors")) {
    scanner.at = start;
    return null;
  }
  const call = scanner.token(nameAt, scanner.at);
  let embedder: Token | null = null;
  let trait: VectorTrait = { kind: "any" };
  if (scanner.skipBlanks() === 0) {
    if (!scanner.tag(".")) {
      scanner.at = start;
      return null;
    }
    embedder = embedderName(scanner);
    trait = traitOf(scanner);
    if (scanner.skipBlanks() === 0) {
      throw scanner.fail("VectorFilterLeftover", `The vector filter has leftover text: ${scanner.rest()}.`);
    }
  }
  const exists: Filter = { kind: "vectors", call, embedder, trait };
  if (scanner.tag("EXISTS")) return exists;
  if (scanner.tags("NOT", "EXISTS")) return { kind: "not", filter: exists };
  throw scanner.fail(
    "VectorFilterOperation",
    `A vector filter can only be followed by \`EXISTS\` or \`NOT EXISTS\`, but ${scanner.rest()} was found.`,
  );
}

function embedderName(scanner: Scanner): Token {
  if (scanner.source[scanner.at] === " ") {
    throw new FilterSyntaxError(
      "VectorFilterMissingEmbedder",
      "The vector filter is missing the name of an embedder after the dot.",
      scanner.token(scanner.at, scanner.at + 1),
    );
  }
  const name = scanner.pathName();
  if (name !== null) return name;
  throw scanner.fail("VectorFilterInvalidEmbedder", `The embedder name at ${scanner.rest()} is invalid.`);
}

function traitOf(scanner: Scanner): VectorTrait {
  let trait: VectorTrait = { kind: "any" };
  if (scanner.tag(".fragments")) {
    if (!scanner.tag(".")) {
      throw scanner.fail(
        "VectorFilterMissingFragment",
        "The vector filter is missing the name of a fragment after `.fragments`.",
      );
    }
    const name = scanner.pathName();
    if (name === null) {
      throw scanner.fail("VectorFilterInvalidFragment", `The fragment name at ${scanner.rest()} is invalid.`);
    }
    trait = { kind: "fragment", name };
  } else {
    for (const kind of TRAITS) {
      if (trait.kind === "any" && scanner.tag(`.${kind}`)) trait = { kind };
    }
  }
  const dotAt = scanner.at;
  if (scanner.tag(".")) {
    const suffix = scanner.pathName() ?? scanner.token(dotAt, dotAt + 1);
    const known = [...TRAITS.map((kind) => `\`.${kind}\``), "`.fragments.<name>`"].join(", ");
    throw new FilterSyntaxError(
      "VectorFilterUnknownSuffix",
      `The vector filter does not know the suffix ${quoteExtract(suffix.text)}. An embedder may be followed by one of ${known}.`,
      suffix,
    );
  }
  return trait;
}

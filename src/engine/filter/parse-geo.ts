/**
 * Reads the geo calls of the filter language. Blanks may stand before a call and inside its parentheses, never between
 * the name and the opening one. Whether coordinates exist on the globe is checked when they are used.
 */
import { type Filter, FilterSyntaxError, type Token, type WrittenPoint } from "./filter.ts";
import type { Scanner } from "./scanner.ts";

const RADIUS_FORM = "`_geoRadius(latitude, longitude, radius[, resolution])`";
const BOX_FORM = "`_geoBoundingBox([latitude, longitude], [latitude, longitude])`";
const POLYGON_FORM = "`_geoPolygon([latitude, longitude], [latitude, longitude], [latitude, longitude], …)`";

/** Null when the text does not go on with a geo call. */
export function parseGeoCall(scanner: Scanner): Filter | null {
  const start = scanner.at;
  scanner.skipBlanks();
  const nameAt = scanner.at;
  if (scanner.keyword("_geoRadius", false)) return parseRadius(scanner, nameAt);
  if (scanner.keyword("_geoBoundingBox", false)) return parseBox(scanner, nameAt);
  if (scanner.keyword("_geoPolygon", false)) return parsePolygon(scanner, nameAt);
  scanner.at = start;
  return null;
}

function parseRadius(scanner: Scanner, nameAt: number): Filter {
  const problem = (): FilterSyntaxError =>
    scanner.fail("GeoRadius", `The \`_geoRadius\` filter expects three or four numbers: ${RADIUS_FORM}.`);
  if (!scanner.tag("(")) throw problem();
  const numbers = floats(scanner, problem);
  if (!scanner.tag(")")) throw problem();
  const [latitude, longitude, metres, resolution = null] = numbers;
  if (metres === undefined || numbers.length > 4) {
    throw scanner.fail(
      "GeoRadiusArgumentCount",
      `The \`_geoRadius\` filter expects three or four numbers but got ${numbers.length}: ${RADIUS_FORM}.`,
    );
  }
  const call = scanner.token(nameAt, scanner.at);
  return { kind: "geoRadius", call, centre: { latitude: latitude!, longitude: longitude! }, metres, resolution };
}

function parseBox(scanner: Scanner, nameAt: number): Filter {
  const problem = (): FilterSyntaxError =>
    scanner.fail("GeoBoundingBox", `The \`_geoBoundingBox\` filter expects two pairs of numbers: ${BOX_FORM}.`);
  if (!scanner.tag("(")) throw problem();
  const lists = pointLists(scanner, problem);
  if (!scanner.tag(")")) throw problem();
  const [topRight, bottomLeft] = lists;
  if (lists.length !== 2 || topRight!.length !== 2 || bottomLeft!.length !== 2) throw problem();
  const call = scanner.token(nameAt, scanner.at);
  return { kind: "geoBoundingBox", call, topRight: pointOf(topRight!), bottomLeft: pointOf(bottomLeft!) };
}

function parsePolygon(scanner: Scanner, nameAt: number): Filter {
  const problem = (): FilterSyntaxError =>
    scanner.fail("GeoPolygon", `The \`_geoPolygon\` filter expects at least three pairs of numbers: ${POLYGON_FORM}.`);
  if (!scanner.tag("(")) throw problem();
  const lists = pointLists(scanner, problem);
  scanner.skipBlanks();
  if (scanner.tag(",")) scanner.skipBlanks();
  if (!scanner.tag(")")) throw problem();
  if (lists.length < 3) {
    throw new FilterSyntaxError(
      "GeoPolygonNotEnoughPoints",
      `The \`_geoPolygon\` filter expects at least three points but got ${lists.length}: ${POLYGON_FORM}.`,
      lists.at(-1)!.at(-1)!,
    );
  }
  const odd = lists.find((list) => list.length !== 2);
  if (odd !== undefined) {
    throw new FilterSyntaxError(
      "GeoCoordinatesNotPair",
      `A point is a latitude and a longitude, but ${odd.length} number(s) were given: ${POLYGON_FORM}.`,
      odd.at(-1)!,
    );
  }
  return { kind: "geoPolygon", call: scanner.token(nameAt, scanner.at), points: lists.map(pointOf) };
}

function pointOf(pair: Token[]): WrittenPoint {
  return { latitude: pair[0]!, longitude: pair[1]! };
}

/** One number or more, separated by commas. Stops before a comma that no number follows. */
function floats(scanner: Scanner, problem: () => FilterSyntaxError): Token[] {
  scanner.skipBlanks();
  const first = scanner.float();
  if (first === null) throw problem();
  const found = [first];
  for (;;) {
    const before = scanner.at;
    const next = scanner.tag(",") ? scanner.float() : null;
    if (next === null) {
      scanner.at = before;
      return found;
    }
    found.push(next);
  }
}

/** One `[number, …]` or more, separated by commas. Stops before a comma that no list follows. */
function pointLists(scanner: Scanner, problem: () => FilterSyntaxError): Token[][] {
  const found = [list(scanner, problem)];
  for (;;) {
    const before = scanner.at;
    if (!scanner.tag(",")) return found;
    try {
      found.push(list(scanner, problem));
    } catch (error) {
      if (!(error instanceof FilterSyntaxError)) throw error;
      scanner.at = before;
      return found;
    }
  }
}

function list(scanner: Scanner, problem: () => FilterSyntaxError): Token[] {
  scanner.skipBlanks();
  if (!scanner.tag("[")) throw problem();
  const numbers = floats(scanner, problem);
  if (!scanner.tag("]")) throw problem();
  scanner.skipBlanks();
  return numbers;
}

// The part of the schema language of FlatBuffers that our schemas use, as values.

export interface Scalar {
  bytes: number;
  /** As in the names of the runtime's methods that read it: `readUint32`. */
  read: string;
  /** The same for methods that write it: those know no unsigned numbers. */
  write: string;
  /** Of its values in TypeScript. */
  type: "number" | "boolean";
}

function numberOf(bytes: number, read: string, write = read): Scalar {
  return { bytes, read, write, type: "number" };
}

const BYTE = numberOf(1, "Int8");
const UBYTE = numberOf(1, "Uint8", "Int8");
const SHORT = numberOf(2, "Int16");
const USHORT = numberOf(2, "Uint16", "Int16");
const INT = numberOf(4, "Int32");
const UINT = numberOf(4, "Uint32", "Int32");
const FLOAT = numberOf(4, "Float32");
const DOUBLE = numberOf(8, "Float64");

/** By their names, of which most have two. 64-bit integers are left out: nothing here is one. */
export const SCALARS: Readonly<Record<string, Scalar>> = {
  bool: { bytes: 1, read: "Uint8", write: "Int8", type: "boolean" },
  byte: BYTE,
  int8: BYTE,
  ubyte: UBYTE,
  uint8: UBYTE,
  short: SHORT,
  int16: SHORT,
  ushort: USHORT,
  uint16: USHORT,
  int: INT,
  int32: INT,
  uint: UINT,
  uint32: UINT,
  float: FLOAT,
  float32: FLOAT,
  double: DOUBLE,
  float64: DOUBLE,
};

/** What one value is: a scalar, a string, or a table or struct by its name. */
export type Single = { kind: "scalar"; scalar: Scalar } | { kind: "string" } | { kind: "named"; name: string };

export interface Field {
  /** As in the schema, in snake case. */
  name: string;
  type: Single;
  isVector: boolean;
  /** Where the elements of a vector begin: at a multiple of these bytes. */
  forceAlign: number | null;
  doc: string[];
}

export interface Definition {
  kind: "table" | "struct";
  name: string;
  fields: Field[];
  /** Tables that `flat-table.ts` lays out need nothing that builds them. */
  isPacked: boolean;
  doc: string[];
}

export interface Schema {
  definitions: Definition[];
  /** The root table of files, and the four letters they bear. */
  root: { name: string; identifier: string } | null;
}

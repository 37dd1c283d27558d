/** The tree of an edit script: what the parser makes and the interpreter walks. Shapes only. */

/** Where something stands in the script, for messages: an offset in UTF-16 units. */
type Position = number;

export type Expression =
  | { kind: "literal"; value: null | boolean | bigint | number | string }
  | { kind: "char"; text: string }
  | { kind: "template"; parts: (string | Expression)[] }
  | { kind: "array"; items: Expression[] }
  | { kind: "map"; entries: { name: string; value: Expression }[] }
  | { kind: "variable"; name: string; at: Position }
  | { kind: "property"; target: Expression; name: string; optional: boolean; at: Position }
  | { kind: "index"; target: Expression; index: Expression; optional: boolean; at: Position }
  | { kind: "call"; name: string; args: Expression[]; at: Position }
  | { kind: "method"; target: Expression; name: string; args: Expression[]; optional: boolean; at: Position }
  | { kind: "unary"; operator: "-" | "+" | "!"; operand: Expression; at: Position }
  | { kind: "binary"; operator: string; left: Expression; right: Expression; at: Position }
  | { kind: "closure"; parameters: string[]; body: Expression }
  | { kind: "if"; condition: Expression; then: Block; otherwise: Expression | null }
  | { kind: "switch"; subject: Expression; arms: SwitchArm[] }
  | { kind: "assign"; target: Expression; operator: string; value: Expression; at: Position }
  | Loop
  | Block;

export interface SwitchArm {
  /** Empty for the default arm. */
  patterns: Expression[];
  guard: Expression | null;
  body: Expression;
}

export type Loop =
  /** `loop` and `while`: no condition means forever. */
  | { kind: "while"; condition: Expression | null; body: Block }
  | { kind: "doWhile"; body: Block; condition: Expression; until: boolean }
  | { kind: "for"; item: string; counter: string | null; source: Expression; body: Block; at: Position };

export interface Block {
  kind: "block";
  statements: Statement[];
}

export type Statement =
  | { kind: "let"; name: string; constant: boolean; value: Expression | null }
  | { kind: "expression"; expression: Expression }
  | { kind: "continue"; at: Position }
  | { kind: "break" | "return" | "throw"; value: Expression | null; at: Position }
  | { kind: "try"; body: Block; variable: string | null; handler: Block };

export interface ScriptFunction {
  name: string;
  parameters: string[];
  body: Block;
}

export interface Script {
  source: string;
  body: Block;
  functions: Map<string, ScriptFunction>;
}

/** The script cannot be read, or fails while it runs. */
export class EditProblem extends Error {
  override readonly name = "EditProblem";
  /** Whether the message says where. */
  readonly located: boolean;

  constructor(message: string, located = false) {
    super(message);
    this.located = located;
  }
}

export function problemIn(source: string, message: string, at: Position): EditProblem {
  const before = source.slice(0, at);
  const line = before.split("\n").length;
  return new EditProblem(`${message} (line ${line}, position ${at - before.lastIndexOf("\n")})`, true);
}

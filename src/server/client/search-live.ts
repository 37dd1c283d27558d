/** A search with every key: the question above, the hits below, as many as the window takes. One request at a time. */
import { emitKeypressEvents } from "node:readline";
import type { Document } from "./api.ts";
import { withMarks } from "./highlights.ts";
import { type Ask, fieldsOf, type SearchAnswer } from "./search.ts";
import { shortened, valueText } from "./table.ts";
import { coloursOf, columnsOf, type Terminal } from "./terminal.ts";

interface Key {
  name?: string;
  ctrl?: boolean;
  meta?: boolean;
}

const ROWS = 24;
/** The question, an empty line, and a line about the answer. */
const ROWS_AROUND = 4;
const WHOLE_SCREEN = "\x1b[?1049h";
const SCREEN_AS_BEFORE = "\x1b[?1049l";
const FROM_THE_TOP = "\x1b[H\x1b[J";

export function liveSearch(index: string, ask: Ask, fields: string[] | null, terminal: Terminal): Promise<number> {
  return new Promise((resolve, reject) => {
    const session = new LiveSearch(index, ask, fields, terminal, (error) =>
      error === null ? resolve(0) : reject(error),
    );
    session.begin();
  });
}

class LiveSearch {
  readonly #index: string;
  readonly #ask: Ask;
  readonly #fields: string[] | null;
  readonly #terminal: Terminal;
  readonly #done: (error: Error | null) => void;
  #query = "";
  #chosen = 0;
  #whole: Document | null = null;
  #answer: SearchAnswer = { hits: [], processingTimeMs: 0 };
  #problem = "";
  #isAsking = false;
  /** Of the answer that is shown. */
  #asked: string | null = null;
  #isOver = false;

  constructor(
    index: string,
    ask: Ask,
    fields: string[] | null,
    terminal: Terminal,
    done: (error: Error | null) => void,
  ) {
    this.#index = index;
    this.#ask = ask;
    this.#fields = fields;
    this.#terminal = terminal;
    this.#done = done;
  }

  begin(): void {
    const { input, output } = this.#terminal;
    emitKeypressEvents(input);
    input.setRawMode?.(true);
    input.on("keypress", this.#onKey);
    input.resume();
    output.write(WHOLE_SCREEN);
    this.#draw();
    void this.#search();
  }

  #end(error: Error | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { input, output } = this.#terminal;
    input.removeListener("keypress", this.#onKey);
    input.setRawMode?.(false);
    input.pause();
    output.write(SCREEN_AS_BEFORE);
    this.#done(error);
  }

  readonly #onKey = (text: string | undefined, { name, ctrl, meta }: Key): void => {
    const isEnd = (ctrl && (name === "c" || name === "d")) || (name === "escape" && this.#whole === null);
    if (isEnd) {
      this.#end(null);
      return;
    }
    if (name === "escape") this.#whole = null;
    else if (name === "return") {
      const { _formatted: _, ...whole } = this.#answer.hits[this.#chosen] ?? {};
      this.#whole = this.#whole === null && Object.keys(whole).length > 0 ? whole : null;
    } else if (name === "up") this.#chosen = Math.max(0, this.#chosen - 1);
    else if (name === "down") this.#chosen = Math.max(0, Math.min(this.#answer.hits.length - 1, this.#chosen + 1));
    else if (name === "backspace") this.#type([...this.#query].slice(0, -1).join(""));
    else if (ctrl && name === "u") this.#type("");
    else if (ctrl && name === "w") this.#type(this.#query.replace(/\S+\s*$/, ""));
    else if (text !== undefined && !ctrl && !meta && /^[^\p{Cc}]+$/u.test(text)) this.#type(this.#query + text);
    this.#draw();
  };

  #type(query: string): void {
    this.#query = query;
    this.#chosen = 0;
    this.#whole = null;
    void this.#search();
  }

  async #search(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#asked !== this.#query && !this.#isOver) {
      const query = this.#query;
      try {
        this.#answer = await this.#ask(query, Math.max(1, this.#room()));
        this.#problem = "";
      } catch (error) {
        // The first question tells whether there is such an index, and a server.
        if (this.#asked === null) return this.#end(error as Error);
        this.#problem = (error as Error).message;
      }
      this.#asked = query;
      if (!this.#isOver) this.#draw();
    }
    this.#isAsking = false;
  }

  #room(): number {
    return (this.#terminal.output.rows || ROWS) - ROWS_AROUND;
  }

  #draw(): void {
    if (this.#isOver) return;
    const { output, env } = this.#terminal;
    const colours = coloursOf(output, env);
    const body = this.#whole === null ? this.#hits() : JSON.stringify(this.#whole, null, 2).split("\n");
    const { processingTimeMs, estimatedTotalHits = 0 } = this.#answer;
    const about = this.#problem || `about ${estimatedTotalHits} hits, ${processingTimeMs} ms`;
    const lines = [
      `${colours.cyan(`${this.#index} ›`)} ${this.#query}${colours.inverse(" ")}`,
      "",
      ...body.slice(0, this.#room()),
      "",
      colours.dim(about),
    ];
    output.write(FROM_THE_TOP + lines.join("\r\n"));
  }

  #hits(): string[] {
    const { hits } = this.#answer;
    const colours = coloursOf(this.#terminal.output, this.#terminal.env);
    const fields = this.#fields ?? fieldsOf(hits);
    const room = columnsOf(this.#terminal.output) - 2;
    return hits.map(({ _formatted: formatted, ...hit }, i) => {
      const values = fields.map((field) => valueText((formatted ?? hit)[field] ?? hit[field]).replaceAll(/\s+/g, " "));
      const text = withMarks(shortened(values.filter((value) => value !== "").join("  "), room), colours);
      return `${i === this.#chosen ? colours.cyan("›") : " "} ${text}`;
    });
  }
}

/** Lists of things that are many, or long, each of them: written one by one, and others are heard in between. */
import type { JsonObject } from "../../base/json/value.ts";
import { type Answer, bytesAnswer, JSON_TYPE } from "./answer.ts";
import { BodyPieces } from "./body-pieces.ts";
import { FrontSlices } from "./slices.ts";

/** `view`: what is shown of one. `rest`: what stands beside `results`. */
export async function listAnswer<Item>(
  items: Iterable<Item>,
  view: (item: Item) => unknown,
  rest: JsonObject = {},
): Promise<Answer> {
  const slices = new FrontSlices();
  const body = new BodyPieces();
  let before = '{"results":[';
  for (const item of items) {
    body.add(before + JSON.stringify(view(item)));
    before = ",";
    if (slices.isOver) await slices.pause();
  }
  const end = JSON.stringify(rest).slice(1);
  body.add(`${before === "," ? "" : before}]${end === "}" ? "" : ","}${end}`);
  return bytesAnswer(200, JSON_TYPE, await body.whole());
}

/** The stages of one search request, and which of them a thread was in when it was found in a function. */
import type { Frame, Sample } from "./cpu-profile.ts";

/** What stands first is what a request comes to first. `null` stands for time in which a thread only waits. */
const RULES: readonly [stage: string | null, name: RegExp, file: RegExp][] = [
  [null, /^\(idle\)$/, /^$/],
  [null, /^sleep$/, /^engine\/link\/idle-readers/],
  ["garbage collection", /^\(garbage collector\)$/, /^$/],
  ["outside our code: sockets, event loop", /^\(program\)$/, /^$/],
  ["rank: compiled search", /./, /^wasm:/],
  ["wake-ups", /^(?:postMessage|notify|wakeOne|wakeAll|#wakeFront|ring|silence)$/, /^$|^engine\/link\//],
  ["wake-ups", /./, /^node:internal\/(?:per_context\/messageport|worker|event_target)/],
  ["out: headers, cork, send", /./, /^server\/front\/(?:send|answer|compress|metrics)/],
  ["out: headers, cork, send", /^(?:send|cork|end|tryEnd|#writeHead|#send|#sendPieces|#finish)$/, /^server\/front\//],
  ["cached answers", /./, /^engine\/cache\//],
  ["ring", /./, /^engine\/(?:link\/|reader\/(?:pool|loop))/],
  [
    "hits",
    /./,
    /^engine\/answer\/(?:hits|format|known-fields)|^base\/document\/|^storage\/(?:settings\/attribute-names|segment\/documents)/,
  ],
  ["answer", /./, /^engine\/(?:answer\/|reader\/handlers)|^base\/json\//],
  [
    "resolve: words, query, request",
    /./,
    /^(?:engine\/(?:rank|query|filter|pins|joins)|storage\/(?:segment|settings|memory|index)|base\/(?:text|kernels))\//,
  ],
  ["resolve: words, query, request", /./, /^engine\/reader\//],
  ["in: HTTP, key, route, query", /./, /^(?:server\/front|engine\/(?:ask|auth)|base\/(?:contract|errors))\//],
];

const OTHER = "other";
export const STAGES = [...new Set([...RULES.map(([stage]) => stage), OTHER])].filter((stage) => stage !== null);

/** The innermost function that belongs to a stage decides; what is built in belongs to whoever calls it. */
export function stageOf(stack: readonly Frame[]): string | null {
  for (const { file, name } of stack) {
    const rule = RULES.find(([, names, files]) => names.test(name) && files.test(file));
    if (rule !== undefined) return rule[0];
  }
  return OTHER;
}

/** Stage to the time spent there, without waiting. */
export function stageTimes(samples: readonly Sample[]): Map<string, number> {
  const times = new Map<string, number>();
  const stages = new Map<readonly Frame[], string | null>();
  for (const { micros, stack } of samples) {
    let stage = stages.get(stack);
    if (stage === undefined) {
      stage = stageOf(stack);
      stages.set(stack, stage);
    }
    if (stage !== null) times.set(stage, (times.get(stage) ?? 0) + micros);
  }
  return times;
}

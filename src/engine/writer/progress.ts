/** What the running batch is doing, outermost step first, and how long each step took. */
import type { ProgressStep } from "../../base/contract/task.ts";
import { progressView } from "../../storage/tasks/views.ts";

export class Progress {
  readonly #show: (steps: ProgressStep[]) => void;
  #steps: ProgressStep[] = [];
  #reached = 0;
  #since = performance.now();
  readonly #durations = new Map<string, number>();

  constructor(show: (steps: ProgressStep[]) => void) {
    this.#show = show;
  }

  /** Begins a step at a depth (0 is outermost); deeper ones end. Work beside other work may be behind: not shown then. */
  step(depth: number, currentStep: string, finished = 0, total = 1): void {
    this.#closeStep();
    this.#steps = [...this.#steps.slice(0, depth), { currentStep, finished, total }];
    const { percentage } = progressView(this.#steps);
    if (percentage < this.#reached) return;
    this.#reached = percentage;
    this.#show(this.#steps);
  }

  /** `"outer > inner"` to a duration text such as `12.34ms`. */
  trace(): Record<string, string> {
    this.#closeStep();
    return Object.fromEntries([...this.#durations].map(([path, ms]) => [path, durationText(ms)]));
  }

  #closeStep(): void {
    const now = performance.now();
    const path = this.#steps.map((step) => step.currentStep).join(" > ");
    if (path !== "") this.#durations.set(path, (this.#durations.get(path) ?? 0) + now - this.#since);
    this.#since = now;
  }
}

function durationText(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(2)}s` : ms >= 1 ? `${ms.toFixed(2)}ms` : `${(ms * 1000).toFixed(2)}µs`;
}

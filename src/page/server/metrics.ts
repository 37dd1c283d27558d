/** Reads what Prometheus reads, and works out rates and percentiles from two looks at it. */

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export function samplesIn(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const match = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (match === null) continue;
    const labels = [...(match[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map((pair) => [pair[1]!, pair[2]!]);
    samples.push({
      name: match[1]!,
      labels: Object.fromEntries(labels) as Record<string, string>,
      value: Number(match[3]),
    });
  }
  return samples;
}

/** All samples of a name together. */
export function sumOf(samples: readonly Sample[], name: string): number {
  return samples.reduce((sum, sample) => (sample.name === name ? sum + sample.value : sum), 0);
}

/** How many answers took how long at most, in seconds, all routes together; from the shortest on. */
export function bucketsOf(samples: readonly Sample[], name: string): [number, number][] {
  const counts = new Map<number, number>();
  for (const sample of samples) {
    const bound = sample.labels["le"];
    if (sample.name !== name || bound === undefined) continue;
    const seconds = bound === "+Inf" ? Number.POSITIVE_INFINITY : Number(bound);
    counts.set(seconds, (counts.get(seconds) ?? 0) + sample.value);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

/** The bound that this share of the answers between two looks stayed within; null when there were none. */
export function percentile(
  before: readonly (readonly [number, number])[],
  after: readonly (readonly [number, number])[],
  share: number,
): number | null {
  const earlier = new Map(before);
  const since = after.map(([bound, count]) => [bound, count - (earlier.get(bound) ?? 0)] as const);
  const total = since.at(-1)?.[1] ?? 0;
  if (total <= 0) return null;
  return since.find(([, count]) => count >= total * share)?.[0] ?? null;
}

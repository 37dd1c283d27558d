/** Quantiles and the printed table: figures in, text out. */

export function quantile(values: readonly number[], p: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))]!;
}

export const round = (value: number, digits = 2): number => Math.round(value * 10 ** digits) / 10 ** digits;

/** One measured figure of one server; `better` says which direction is an improvement in the ratio column. */
export interface Figure {
  phase: string;
  name: string;
  unit: string;
  value: number;
  better: "less" | "more";
  /** One of many that an overview leaves out. */
  detail: boolean;
}

/**
 * Rows are figures, columns servers; with several servers the last column is last ÷ first, turned so that > 1 is better.
 * Details are rows only where they are wanted.
 */
export function printTable(servers: { name: string; figures: Figure[] }[], withDetails: boolean): string {
  const names = new Map<string, Figure>();
  for (const server of servers) {
    for (const f of server.figures) if (withDetails || !f.detail) names.set(`${f.phase} · ${f.name}`, f);
  }
  const header = ["figure", "unit", ...servers.map((s) => s.name), ...(servers.length > 1 ? ["ratio"] : [])];
  const rows = [...names].map(([key, sample]) => {
    const values = servers.map((s) => s.figures.find((f) => `${f.phase} · ${f.name}` === key)?.value ?? Number.NaN);
    const first = values[0]!;
    const last = values.at(-1)!;
    const ratio = sample.better === "less" ? first / last : last / first;
    return [
      key,
      sample.unit,
      ...values.map((v) => `${round(v, 3)}`),
      ...(servers.length > 1 ? [`${round(ratio)}×`] : []),
    ];
  });
  return layOut(header, rows, 2);
}

/** Columns of text under their heads; those from `firstNumber` on stand to the right. */
export function layOut(header: string[], rows: string[][], firstNumber: number): string {
  const widths = header.map((_, i) => Math.max(...[header, ...rows].map((row) => row[i]!.length)));
  const line = (row: string[]) =>
    row.map((cell, i) => (i < firstNumber ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("  ");
  return [line(header), widths.map((w) => "─".repeat(w)).join("  "), ...rows.map(line)].join("\n");
}

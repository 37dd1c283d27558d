/** A number over time as a small line, with what it is now. */

const WIDTH = 200;
const HEIGHT = 50;

interface ChartProps {
  title: string;
  /** The oldest first. */
  values: readonly number[];
  show(value: number): string;
}

export function Chart({ title, values, show }: ChartProps) {
  const now = values.at(-1);
  const most = Math.max(...values, Number.MIN_VALUE);
  // One value is a level line.
  const drawn = values.length === 1 ? [...values, ...values] : values;
  const step = WIDTH / Math.max(drawn.length - 1, 1);
  const points = drawn.map((value, i) => `${(i * step).toFixed(1)},${(HEIGHT - (value / most) * HEIGHT).toFixed(1)}`);
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <p class="big">{now === undefined ? "…" : show(now)}</p>
      <svg
        class="chart"
        viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title} over the last ${values.length} looks`}
      >
        <polyline points={points.join(" ")} />
      </svg>
    </section>
  );
}

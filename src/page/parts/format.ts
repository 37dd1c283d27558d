/** Numbers, sizes and times as people read them. */

const UNITS = ["B", "kB", "MB", "GB", "TB"];

export function bytesText(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1000 && unit < UNITS.length - 1) {
    amount /= 1000;
    unit++;
  }
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[unit]}`;
}

export function countText(count: number): string {
  return count.toLocaleString("en");
}

/** Of a duration in the form `PT1H2M3.456S`, which the server gives. */
export function durationText(duration: string | null): string {
  const match = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(duration ?? "");
  if (match === null) return "";
  const [hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  const total = hours! * 3600 + minutes! * 60 + seconds!;
  if (total < 1) return `${Math.round(total * 1000)} ms`;
  return total < 60 ? `${total.toFixed(1)} s` : `${Math.floor(total / 60)} min ${Math.round(total % 60)} s`;
}

export function timeText(time: string | null): string {
  return time === null ? "" : new Date(time).toLocaleString();
}

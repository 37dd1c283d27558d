/** Milliseconds that this process worked, whoever else wanted the processors meanwhile. */
export function workedMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

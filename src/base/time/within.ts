/** Waits for something, but only so long; says nothing of which came first. */
export async function within(ms: number, happening: Promise<void> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resume) => {
    timer = setTimeout(resume, ms);
  });
  await Promise.race([happening, late]);
  clearTimeout(timer);
}

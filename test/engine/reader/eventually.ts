/** A reader unpins after its answer is on the way, so the front may look too early. */
export async function eventually(holds: () => boolean): Promise<boolean> {
  for (let left = 200; left > 0; left--) {
    if (holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}

/** What the server that answers is called among those that share its state; null for one on its own. */
import { signal } from "@preact/signals";

export const clusterNode = signal<string | null>(null);

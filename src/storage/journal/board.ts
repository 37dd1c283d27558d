/**
 * Where each of several servers leaves a note that the others read: that it is there, and how far it is. A note replaces the
 * one before it; nobody relies on seeing each. A board has one place or several, and each place an order of its own: whoever
 * sees a note of its own there has seen every note, of whomever, that was left there before it. Places fail one by one; what
 * most of them show counts.
 */

/** What one place shows. */
export interface Sight {
  place: number;
  /** By the names of those who left them. */
  notes: ReadonlyMap<string, string>;
  /** Whether it may have lost notes since it was looked at last; those that were there by then are still shown. */
  isNew: boolean;
  /** How long it was without having lost any when the note of whoever looks was left. */
  ageMs: number;
}

export interface Board {
  /** How many there are. */
  readonly places: number;
  /** Leaves the note at all places; resolves when most of them have shown it, and rejects when most cannot. */
  put(name: string, note: string): Promise<void>;
  /** What most places show now. */
  look(): Promise<Sight[]>;
  remove(name: string): Promise<void>;
  /** Quickly, without order, and perhaps never: what is told is only worth something now. */
  tell(name: string, news: string): void;
  /** Called with what is told, and by whom; with news of its own, too, and now and then again with the same. */
  onNews(hear: (name: string, news: string) => void): void;
  /** Called with what a place shows, whenever it was looked at. */
  onSight(see: (sight: Sight) => void): void;
  /** Called with a place that was gone, and its notes with it, at a moment that is not before this one. */
  onGone(miss: (place: number, moment: number) => void): void;
  close(): Promise<void>;
}

/** So many of these are most of them: any two such sets have one in common. */
export function mostOf(count: number): number {
  return Math.floor(count / 2) + 1;
}

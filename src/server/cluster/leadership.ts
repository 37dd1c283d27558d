/**
 * Who leads. That a server does is a record of the journal, so all agree on it and on when it began; a leader that is paused
 * and wakes up finds that record before it can write another. Clocks only say when it is time to try: a leader whose notes
 * have not changed for a while, by the watch of whoever looks, is taken for gone. Where one that was replaced turns out to have
 * been slow only, that while gets longer: on a machine that does too much at once the lead would go round, and nothing be done.
 */
import type { LeaderRecord, Member } from "../front/cluster-view.ts";
import type { Sightings } from "./sightings.ts";

/** Silence after which a leader may be replaced, and after which any server counts as gone. */
const LEADER_SILENCE_MS_MAX = 2000;
const SILENCE_MS_MAX = 3000;
/** The silence of a leader that is borne is at most so many times as long as at first, and shorter again after a while without mistakes. */
const PATIENCE_MAX = 8;
const CALM_MS = 60_000;

export class Members {
  readonly #sightings: Sightings;
  readonly #leaderSilenceMsMax: number;
  readonly #silenceMsMax: number;
  /** Times the silence that is borne at first. */
  #patience = 1;
  /** When it changed last. */
  #patienceSince = 0;
  #leader: LeaderRecord | null = null;
  /** Who was replaced last, with the count of its notes by then: one that goes on was not gone. */
  #replaced: { name: string; boot: string | null; count: number } | null = null;

  constructor(sightings: Sightings, leaderSilenceMsMax = LEADER_SILENCE_MS_MAX, silenceMsMax = SILENCE_MS_MAX) {
    this.#sightings = sightings;
    this.#leaderSilenceMsMax = leaderSilenceMsMax;
    this.#silenceMsMax = silenceMsMax;
  }

  all(now: number): Member[] {
    const members: Member[] = [];
    for (const name of [...this.#sightings.names()].sort()) {
      const { note, at } = this.#sightings.latest(name)!;
      // One that most places do not show has left, whatever one shows that cannot be looked at.
      const hasLeft = this.#sightings.isKnown((place) => place.note(name) === null);
      if (!hasLeft) members.push({ ...note, name, isLive: now - at < this.#silenceMsMax });
    }
    return members;
  }

  /** Whether it is time to lead in the place of who does, by what is known: whoever stood still has yet to hear of the others. */
  mayReplace(leader: LeaderRecord | null, self: { name: string; boot: string }): boolean {
    this.#notice(leader);
    if (leader === null || leader.node === null) return true;
    // A process before this one had the name, and its database: it is gone.
    if (leader.node === self.name) return leader.boot !== self.boot;
    const { node } = leader;
    // One that leaves no notes at all may be about to: it gets as long as one that fell silent.
    const silenceMsMax = this.#leaderSilenceMsMax * this.#patience;
    return this.#sightings.isKnown((place, moment) => place.silenceMs(node, moment) >= silenceMsMax);
  }

  /** After notes were seen. `now` is that of a clock that never goes back. */
  judgePatience(now: number): void {
    const { name, boot, count } = this.#replaced ?? { name: "", boot: null, count: 0 };
    const note = this.#sightings.latest(name)?.note;
    const wasMistaken = note !== undefined && note.boot === boot && note.count > count;
    if (wasMistaken) this.#replaced = null;
    else if (now - this.#patienceSince < CALM_MS) return;
    this.#patience = wasMistaken ? Math.min(PATIENCE_MAX, this.#patience * 2) : Math.max(1, this.#patience / 2);
    this.#patienceSince = now;
  }

  #notice(leader: LeaderRecord | null): void {
    const before = this.#leader;
    this.#leader = leader;
    // One that has given the lead back was not replaced.
    if (before?.node == null || leader?.node == null || leader.term === before.term) return;
    const { node: name, boot } = before;
    this.#replaced = { name, boot, count: this.#sightings.latest(name)?.note.count ?? 0 };
  }
}

/** With what a server leads in the place of who was judged to be gone; null where another one has led since, or it does itself. */
export function successor(
  leader: LeaderRecord | null,
  judged: LeaderRecord | null,
  { name, boot }: { name: string; boot: string },
): LeaderRecord | null {
  // In another term nobody has judged; and a further one of its own would only end the work of its writer.
  if (leader?.term !== judged?.term || leader?.boot === boot) return null;
  return { term: (leader?.term ?? 0) + 1, node: name, boot };
}

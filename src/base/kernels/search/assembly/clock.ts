/** Time left: loops that grow with the index count what they do, and now and then time is looked at. */

/** Given by who starts the search. */
declare function isOver(): u32;

const WORK_PER_LOOK: u32 = 4096;

let work: u32 = 0;
/** Once it is up, what is under way is given up. */
export let timeIsUp: bool = false;

export function startClock(): void {
  work = 0;
  timeIsUp = false;
}

/** Looks at the time. */
export function checkTime(): void {
  if (isOver() !== 0) timeIsUp = true;
}

/** Counts documents or words looked at. */
export function spend(amount: u32): void {
  work += amount;
  if (work < WORK_PER_LOOK) return;
  work = 0;
  checkTime();
}

/** After what was given up, which is not to be given up twice. */
export function forgiveTime(): void {
  timeIsUp = false;
}

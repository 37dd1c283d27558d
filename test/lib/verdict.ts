/** What a trial of a server was to show, and whether it did: for the scripts that run trials longer than a test may. */

export interface Claim {
  claim: string;
  /** As it is told. */
  seen: string;
  holds: boolean;
}

export const atLeast = (claim: string, seen: number, least: number): Claim => ({
  claim: `${claim}, at least ${least}`,
  seen: told(seen),
  holds: seen >= least,
});

export const atMost = (claim: string, seen: number, most: number): Claim => ({
  claim: `${claim}, at most ${most}`,
  seen: told(seen),
  holds: seen <= most,
});

/** Says each claim in a line; whether all hold. */
export function sayVerdict(claims: readonly Claim[], say: (text: string) => void): boolean {
  for (const { claim, seen, holds } of claims) say(`${holds ? "holds" : "FAILS"}  ${claim}: ${seen}`);
  return claims.every(({ holds }) => holds);
}

const told = (seen: number): string => `${Math.round(seen * 1000) / 1000}`;

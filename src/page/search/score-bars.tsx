/** Why a hit is where it is: what each rule gave it, as bars. */
import type { Hit, ScoreDetail } from "../api/types.ts";

/** Rules that sort by a value give no share of anything. */
function shareOf({ score, similarity }: ScoreDetail): number | null {
  return score ?? similarity ?? null;
}

export function ScoreBars({ hit }: { hit: Hit }) {
  const { _rankingScore: score, _rankingScoreDetails: details = {} } = hit;
  if (score === undefined) return null;
  const rules = Object.entries(details).sort(([, a], [, b]) => (a.order ?? 0) - (b.order ?? 0));
  return (
    <details class="scores">
      <summary>Why here: score {score.toFixed(4)}</summary>
      <ul class="bars">
        {rules.map(([name, detail]) => {
          const share = shareOf(detail);
          return (
            <li key={name}>
              <span class="name">{name}</span>
              {share === null ? (
                <span class="quiet">{JSON.stringify(detail.value ?? null)}</span>
              ) : (
                <>
                  <meter min="0" max="1" value={share} aria-label={name} />
                  <span class="count">{share.toFixed(3)}</span>
                </>
              )}
            </li>
          );
        })}
      </ul>
    </details>
  );
}

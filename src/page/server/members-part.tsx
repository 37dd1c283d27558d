/** The servers that share their state with this one: where they are, who leads, and how far each is behind. */
import { Loading, Problem } from "../parts/feedback.tsx";
import { useAnswer } from "../state/use-answer.ts";

interface Members {
  self: string | null;
  leader: string | null;
  behind?: number;
  remotes: Record<string, { url: string; status?: string; version?: string; behind?: number }>;
}

export function MembersPart() {
  const { answer, problem } = useAnswer<Members>("/network");
  if (answer.value === null)
    return problem.value === null ? <Loading what="cluster" /> : <Problem problem={problem.value} />;
  const { self, leader, behind = 0, remotes } = answer.value;
  const others = Object.entries(remotes).filter(([, { version }]) => version !== undefined);
  return (
    <section class="card" aria-label="Cluster">
      <h2>Cluster</h2>
      <ul>
        <li>
          <strong>{self}</strong>: this server{self === leader && ", leads"}, {behind} changes behind
        </li>
        {others.map(([name, member]) => (
          <li key={name}>
            <strong>{name}</strong>: {member.url}
            {name === leader && ", leads"}, {member.behind} changes behind{" "}
            <span class={`badge ${member.status}`}>{member.status}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How far the batch under way is, step by step. */
import type { Batch } from "../api/types.ts";

export function BatchProgress({ batch }: { batch: Batch }) {
  const { uid, progress, stats } = batch;
  const where = Object.keys(stats.indexUids).join(", ");
  return (
    <section class="card" aria-label={`Batch ${uid}`}>
      <h2>
        Batch {uid}: {stats.totalNbTasks} {stats.totalNbTasks === 1 ? "task" : "tasks"}
        {where !== "" && ` of ${where}`}
      </h2>
      <progress max={100} value={progress?.percentage ?? 0} aria-label={`Progress of batch ${uid}`} />
      <ol class="steps quiet">
        {progress?.steps.map(({ currentStep, finished, total }) => (
          <li key={currentStep}>
            {currentStep}: {finished} of {total}
          </li>
        ))}
      </ol>
    </section>
  );
}

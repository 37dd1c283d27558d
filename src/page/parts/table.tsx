/** A table that scrolls by itself where the screen is narrow. */
import type { ComponentChildren } from "preact";

export interface Column {
  title: string;
  /** `number`: to the right. `share`: wide. `buttons`: its title is for those who hear the page only. */
  kind?: "number" | "share" | "buttons";
}

export function Table({ columns, children }: { columns: readonly Column[]; children: ComponentChildren }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} class={kind ?? ""}>
                {kind === "buttons" ? <span class="hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

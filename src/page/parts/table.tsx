/** A table that scrolls by itself where the screen is narrow, or stacks: each row becomes a block of lines there. */
import type { ComponentChildren } from "preact";

export interface Column {
  title: string;
  /** `number`: to the right. `share`: wide. `buttons`: its title is for those who hear the page only. */
  kind?: "number" | "share" | "buttons";
}

interface TableProps {
  columns: readonly Column[];
  /** For tables of many columns, whose cells name theirs in `data-title`. */
  stacks?: boolean;
  children: ComponentChildren;
}

export function Table({ columns, stacks = false, children }: TableProps) {
  return (
    <div class="scroll">
      <table class={stacks ? "stacks" : ""}>
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

/**
 * The default document template, and whether a template can be read at all.
 * Rendering belongs to those who embed or answer.
 */
import { liquid } from "./liquid.ts";

export const DEFAULT_DOCUMENT_TEMPLATE =
  "{% for field in fields %}{% if field.is_searchable and field.value != nil %}{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}";

export const DEFAULT_TEMPLATE_MAX_BYTES = 400;

/** Whether a template looks at the fields as such, of which some are searchable and some are not. */
export function usesFields(template: string): boolean {
  return /\bfields\b/.test(template);
}

/** What is wrong with the template, or null when it parses. */
export function templateProblem(template: string): string | null {
  try {
    liquid().parse(template);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

// What a check says: the value, or every place that failed.

/** One failing place in a value, as a JSON Pointer and a sentence. */
export interface Issue {
  readonly path: string
  readonly message: string
}
/** A value that fits, or every place where it does not. `limit`: the check was given up, not failed. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false
      readonly issues: readonly Issue[]
      /** Present when the value was not checked to the end, because that would take too much work or nest too deeply. */
      readonly limit?: 'work' | 'depth'
    }

/** All issues in one line, for a message a model or a person reads. */
export function issueText(issues: readonly Issue[]): string {
  return issues.map((issue) => (issue.path === '' ? issue.message : `${issue.path} ${issue.message}`)).join('; ')
}

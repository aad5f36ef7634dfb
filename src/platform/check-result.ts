/** The result of a check: all is well, something to look at, or a problem that keeps ToolBox from working. */
export type CheckResult = { state: 'ok' | 'warning' | 'problem'; what: string; todo?: string | undefined }

export const ok = (what: string): CheckResult => ({ state: 'ok', what })
export const warning = (what: string, todo: string): CheckResult => ({ state: 'warning', what, todo })
export const problem = (what: string, todo: string): CheckResult => ({ state: 'problem', what, todo })

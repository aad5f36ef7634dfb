import type { Plugin } from 'vite'

/** A sixth of the first screen's program is what React can do and no screen here asks it to. A build leaves that out. */

/** What is never called; a call nonetheless throws with the function's name. */
const unused = {
  'references to fragments': ['FragmentInstance'],
  'view transitions': [
    'createViewTransitionInstance',
    'startViewTransition',
    'measureViewTransitionHostInstancesRecursive',
    'restoreViewTransitionName',
    'applyViewTransitionToHostInstancesRecursive',
    'commitDeletedPairViewTransitions',
    'commitAppearingPairViewTransitions',
    'measureInstance',
    'scheduleViewTransitionEvent',
    'restorePairedViewTransitions',
  ],
  'pages that a server has rendered': [
    'updateDehydratedSuspenseComponent',
    'updateActivityComponent',
    'mountHostRootWithoutHydrating',
    'hideOrUnhideDehydratedBoundary',
    'clearHydrationBoundary',
    'attemptExplicitHydrationTarget',
    'accumulateOrCreateContinuousQueuedReplayableEvent',
    'queueIfContinuousEvent',
    'scheduleCallbackIfUnblocked',
    'ReactDOMHydrationRoot',
    'attemptContinuousHydration',
    'attemptHydrationAtCurrentPriority',
    'retryDehydratedSuspenseBoundary',
  ],
  'style sheets, scripts and titles of components': [
    'getResource',
    'acquireResource',
    'getHydratableHoistableCache',
    'createHoistableInstance',
    'resolveSingletonInstance',
    'suspendResource',
    'insertStylesheetIntoRoot',
    'prefetchDNS',
    'preconnect',
    'preload',
    'preloadModule',
    'preinitScript',
    'preinitStyle',
    'preinitModuleScript',
  ],
  'lists of suspended parts': ['updateSuspenseListComponent', 'cutOffTailIfNeeded'],
  'actions of forms': [
    'mountActionState',
    'updateActionStateImpl',
    'dispatchActionState',
    'runActionStateAction',
    'rerenderActionState',
    'startHostTransition',
    'ensureFormComponentIsStateful',
  ],
  'custom elements': ['setPropOnCustomElement'],
}

/** What is called on the way and has nothing to do without those. */
const idle = {
  trackEnterViewTransitions: '',
  commitEnterViewTransitions: '',
  commitExitViewTransitions: '',
  commitNestedViewTransitions: '',
  restoreNestedViewTransitions: '',
  restoreEnterOrExitViewTransitions: '',
  measureNestedViewTransitions: '',
  resetHydrationState: '',
  popHydrationState: 'return false',
  upgradeHydrationErrorsToRecoverable: 'return null',
  retryIfBlockedOn: '',
  clearIfContinuousEvent: '',
  commitSuspenseHydrationCallbacks: '',
  commitActivityHydrationCallbacks: '',
  getParentHydrationBoundary: 'return null',
  extractEvents$1: '',
  isHostHoistableType: 'return false',
  waitForCommitToBeReady: 'return null',
}

/** What else keeps those alive: methods, exports, and variables that say whether such a thing is going on. */
const traces: readonly [RegExp, string][] = [
  [/^(?:FragmentInstance|ViewTransitionPseudoElement)\.prototype\.\w+ = function[\s\S]*?^\};\n/gm, ''],
  [/\b30 === \w+\.tag\b/g, 'false'],
  [/^var shouldStartViewTransition = !1,\n/gm, 'var '],
  [/\bshouldStartViewTransition = !\d/g, '0'],
  [/\bshouldStartViewTransition\b/g, 'false'],
  [/^ReactDOMHydrationRoot\.prototype\.(?:render|unmount) = /gm, ''],
  [/^ReactDOMHydrationRoot\.prototype\.unstable_scheduleHydration = function[\s\S]*?^\};\n/gm, ''],
  [/^exports\.hydrateRoot = function[\s\S]*?^\};\n/gm, ''],
  [/^ {2}isHydrating = !1,\n/gm, ''],
  [/\bisHydrating = !\d/g, '0'],
]

/** Replaces what is there; that it is no longer there means that React has changed, and that this file has to. */
function replace(code: string, what: RegExp, by: string | ((found: string) => string)): string {
  const left = typeof by === 'string' ? code.replace(what, by) : code.replace(what, by)
  if (left === code) throw new Error(`scripts/lean-react.ts: this React has no ${what}.`)
  return left
}

const emptied = (code: string, name: string, body: string) =>
  replace(
    code,
    new RegExp(`^function ${name.replace('$', '\\$')}\\([\\s\\S]*?^\\}\\n`, 'm'),
    `function ${name}() { ${body} }\n`,
  )

/** A function that has a parameter of this name keeps it. */
const neverHydrating = (code: string) =>
  replace(code, /^function \w+\([^)]*\bisHydrating\b[^)]*\) \{\n[\s\S]*?^\}\n|\bisHydrating\b(?!\$)/gm, (found) =>
    found === 'isHydrating' ? 'false' : found,
  )

function lean(react: string): string {
  let code = react
  for (const name of Object.values(unused).flat()) code = emptied(code, name, `throw Error('${name}')`)
  for (const [name, body] of Object.entries(idle)) code = emptied(code, name, body)
  for (const [what, by] of traces) code = replace(code, what, by)
  return neverHydrating(code)
}

export const leanReact: Plugin = {
  name: 'lean-react',
  apply: 'build',
  transform: {
    filter: { id: /[\\/]react-dom-client\.production\.js$/ },
    handler: lean,
  },
}

import * as z from 'zod/mini'

/** What a check looks at, as screens call it. */
const areas = [
  'Address',
  'Proxy',
  'Secret',
  'Network',
  'Sign-up',
  'Admins',
  'Database',
  'Backups',
  'Work',
  'Channels',
  'Hosts',
  'Version',
] as const
export type Area = (typeof areas)[number]

const SelfCheckFinding = z.object({
  area: z.enum(areas),
  /** `problem` keeps ToolBox from working or others from being safe. */
  state: z.enum(['ok', 'warning', 'problem']),
  what: z.string(),
  /** What to do; absent where all is well. */
  todo: z.optional(z.string()),
})
export type SelfCheckFinding = z.infer<typeof SelfCheckFinding>
const SelfCheck = z.array(SelfCheckFinding).register(z.globalRegistry, {
  examples: [
    [
      { area: 'Address', state: 'ok', what: 'People open ToolBox at https://toolbox.example.com.' },
      {
        area: 'Admins',
        state: 'warning',
        what: 'Only one user has the role Admin 2. If they lose access, nobody else can help.',
        todo: 'Give a second user the role Admin 2.',
      },
    ],
  ],
})

/** What a new server still needs, in the order of its worth. */
export const stepIds = ['entry', 'channel', 'address', 'https', 'provider', 'backup', 'admin'] as const
export type StepId = (typeof stepIds)[number]

const Callback = z.object({
  name: z.string(),
  url: z.string(),
  registerAt: z.nullable(z.string()),
  /** What is set once it is registered. */
  variables: z.array(z.string()),
})
export const FirstSteps = z.object({
  /** Those that nobody has dismissed; `what` is what the self-check says of one that is done. */
  steps: z.array(z.object({ id: z.enum(stepIds), isDone: z.boolean(), what: z.optional(z.string()) })),
  baseUrl: z.string(),
  /** What a provider asks for when one registers ToolBox there, and where one does that. */
  callbacks: z.array(Callback),
})
export type FirstSteps = z.infer<typeof FirstSteps>

const Dismissal = z.strictObject({
  ids: z.array(z.enum(stepIds)).check(z.minLength(1), z.maxLength(stepIds.length)),
})

/** The calls by which admins see how this server is doing, and what a new one still needs. */
export const selfCheckCalls = {
  'GET /api/v1/admin/health': { answer: SelfCheck },
  'GET /api/v1/admin/first-steps': { answer: FirstSteps },
  'PATCH /api/v1/admin/first-steps': { body: Dismissal, answer: FirstSteps },
} as const

declare module '../shared/calls.ts' {
  interface Calls extends Table<typeof selfCheckCalls> {}
}

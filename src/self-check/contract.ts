import * as z from 'zod/mini'

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
  /** A `problem` keeps ToolBox from working or endangers its users. */
  state: z.enum(['ok', 'warning', 'problem']),
  what: z.string(),
  /** What to do; absent if `state` is ok. */
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

/** The first steps of a new server, most important first. */
export const stepIds = ['entry', 'channel', 'address', 'https', 'provider', 'backup', 'admin'] as const
export type StepId = (typeof stepIds)[number]

const Callback = z.object({
  name: z.string(),
  url: z.string(),
  registerAt: z.nullable(z.string()),
  variables: z.array(z.string()),
})
export const FirstSteps = z.object({
  /** The steps that no admin has dismissed; `what` is the self-check's finding for a completed one. */
  steps: z.array(z.object({ id: z.enum(stepIds), isDone: z.boolean(), what: z.optional(z.string()) })),
  baseUrl: z.string(),
  /** The callback URL to enter when registering ToolBox with each provider, and where to register. */
  callbacks: z.array(Callback),
})
export type FirstSteps = z.infer<typeof FirstSteps>

const Dismissal = z.strictObject({
  ids: z.array(z.enum(stepIds)).check(z.minLength(1), z.maxLength(stepIds.length)),
})

export const selfCheckCalls = {
  'GET /api/v1/admin/health': { answer: SelfCheck },
  'GET /api/v1/admin/first-steps': { answer: FirstSteps },
  'PATCH /api/v1/admin/first-steps': { body: Dismissal, answer: FirstSteps },
} as const

declare module '../shared/calls.ts' {
  interface Calls extends Table<typeof selfCheckCalls> {}
}

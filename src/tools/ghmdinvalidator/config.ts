import * as z from 'zod'
import { duration, text } from '../../platform/config/values.ts'

export const ghmdinvalidatorVariables = z
  .object({ GHMDINVALIDATOR_EVERY: duration.prefault('12h'), GITHUB_TOKEN: text.optional() })
  .transform((variables) => ({
    ghmdinvalidatorEvery: variables.GHMDINVALIDATOR_EVERY,
    githubToken: variables.GITHUB_TOKEN,
  }))
export type GhmdinvalidatorConfig = Readonly<z.infer<typeof ghmdinvalidatorVariables>>

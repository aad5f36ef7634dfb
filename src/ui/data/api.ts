import axios, { isAxiosError } from 'axios'

/** Calls this server, without a timeout. */
export const api = axios.create({
  timeout: 0,
  xsrfCookieName: 'XSRF-TOKEN',
  xsrfHeaderName: 'X-XSRF-TOKEN',
})

type Refusal = { error?: unknown; fields?: Record<string, string> }

/** The message of an error, for the user. */
export function reason(error: unknown): string {
  if (!isAxiosError<Refusal>(error)) return 'Something went wrong.'
  if (!error.response) return error.message
  const told = error.response.data?.error
  return typeof told === 'string' && told ? told : 'Something went wrong.'
}

/** The errors by the name of the field. */
export const refusedFields = (error: unknown): Record<string, string> =>
  (isAxiosError<Refusal>(error) && error.response?.data?.fields) || {}

/** The current record, if an edit was refused because somebody else has edited it. */
export const currentOf = <Row>(error: unknown): Row | undefined =>
  isAxiosError<{ current?: Row }>(error) ? error.response?.data?.current : undefined

/** The code of a call that was not sent, because it would have been made in another user's name. */
export const someoneElse = 'SOMEONE_ELSE'
export const isKeptBack = (error: unknown): boolean => isAxiosError(error) && error.code === someoneElse

/** Whether there was no answer at all. */
export const isUnreachable = (error: unknown): boolean => isAxiosError(error) && !error.response && !isKeptBack(error)

/** The HTTP status of a refused call; undefined if there was no answer. */
export const statusOf = (error: unknown): number | undefined =>
  isAxiosError(error) ? error.response?.status : undefined

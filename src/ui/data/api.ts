import axios, { isAxiosError } from 'axios'

/** Calls of this server. A call may take as long as it takes: no timeout. */
export const api = axios.create({
  timeout: 0,
  xsrfCookieName: 'XSRF-TOKEN',
  xsrfHeaderName: 'X-XSRF-TOKEN',
})

type Refusal = { error?: unknown; fields?: Record<string, string> }

/** What went wrong, in words for a person. */
export function reason(error: unknown): string {
  if (!isAxiosError<Refusal>(error)) return 'Something went wrong.'
  if (!error.response) return error.message
  const told = error.response.data?.error
  return typeof told === 'string' && told ? told : 'Something went wrong.'
}

/** Why, by the name of the field. */
export const refusedFields = (error: unknown): Record<string, string> =>
  (isAxiosError<Refusal>(error) && error.response?.data?.fields) || {}

/** The record as it is, where an edit was refused because somebody else edited it. */
export const currentOf = <Row>(error: unknown): Row | undefined =>
  isAxiosError<{ current?: Row }>(error) ? error.response?.data?.current : undefined

/** The code of a call that was kept back, for it would have been made in somebody else's name. */
export const someoneElse = 'SOMEONE_ELSE'
export const isKeptBack = (error: unknown): boolean => isAxiosError(error) && error.code === someoneElse

/** Whether no answer came at all. */
export const isUnreachable = (error: unknown): boolean => isAxiosError(error) && !error.response && !isKeptBack(error)

/** The HTTP status of a refused call; undefined when no answer came. */
export const statusOf = (error: unknown): number | undefined =>
  isAxiosError(error) ? error.response?.status : undefined

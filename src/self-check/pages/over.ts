import { store, stored } from '../../ui/stored.ts'

/** The storage key that marks that no steps were left, so that Home doesn't wait for the response. */
const key = 'toolbox.first-steps'
const over = 'over'

export const wereStepsOver = (): boolean => stored(key) === over
export const rememberSteps = (isLeft: boolean): void => void store(key, isLeft ? '' : over)

import { store, stored } from '../../ui/stored.ts'

/** Where this browser remembers that there was nothing left to do, so that Home need not wait for the answer. */
const key = 'toolbox.first-steps'
const over = 'over'

export const wereStepsOver = (): boolean => stored(key) === over
export const rememberSteps = (isLeft: boolean): void => void store(key, isLeft ? '' : over)

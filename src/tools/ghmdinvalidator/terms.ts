import { entryToolNames } from '../../entries/define-tool.ts'

export const ghmdinvalidatorNames = entryToolNames({
  id: 'ghmdinvalidator',
  label: 'GitHub Media Invalidator',
  noun: 'cache invalidator entry',
  works: 'Fresh',
  today: 'Purges today',
  letter: 'm',
  screens: { check: 'Why is my image old?' },
})

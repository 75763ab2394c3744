// Whether the page is used by finger, so that nothing on it speaks of keys that are not there. As styles ask (pointer: coarse).

export const isTouched = (): boolean => matchMedia('(pointer: coarse)').matches;

// Where the service has not been told its address, calls in the pages go to the host that was asked. Only the browser knows
// whether the reader came by https, or through a proxy that asks another host.

for (const code of document.querySelectorAll('code[data-origin]')) {
  code.textContent = code.textContent.replaceAll(code.dataset.origin, location.origin);
}

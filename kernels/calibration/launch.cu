/*attune
[kernel]
name = "launch"
summary = "one block, one store: what remains is the launch"
[problem]
[parameters]
[[launch]]
entry = "store_once"
grid = [1]
block = [1]
arguments = ["out"]
[arguments]
out = { type = "uint32", size = 1, role = "out" }
[[reference]]
entry = "store_reference"
grid = [1]
block = [1]
arguments = ["out"]
[metrics]
bytes = "sizeof(uint32)"
*/

__global__ void store_once(unsigned* out) { *out = 1; }

__global__ void store_reference(unsigned* out) { out[0] = 1; }

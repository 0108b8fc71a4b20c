// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "driver/driver.hpp"

int main(int argc, char **argv) {
    try {
        return tern::driver::run_driver(std::vector<std::string>(argv + (argc > 0), argv + argc));
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "benchtern: error: %s\n", failure.what());
        return 1;
    }
}
